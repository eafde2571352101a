import type { ScenarioResult } from "@rollcall/simulator/result"
import { plural, span } from "@rollcall/text"

/** Of what and how long the run was: a line. */
export const headline = ({ spec, summary }: ScenarioResult): string => {
  const speed = summary.wallSeconds > 0 ? Math.round(spec.durationSeconds / summary.wallSeconds) : 0
  return `Kubernetes ${spec.release} · ${plural(summary.nodes.registered, "node")} · ${span(spec.durationSeconds)} of virtual time in ${span(summary.wallSeconds)} (${speed.toLocaleString("en-US")} times real time) · seed ${spec.seed}`
}

/** Whether it went as expected, in words. */
export const verdict = ({ expectations }: ScenarioResult): string => {
  const failed = expectations.filter(({ held }) => !held).length
  if (expectations.length === 0) return "no expectations"
  const all = plural(expectations.length, "expectation")
  return failed === 0 ? `all ${all} held` : `${failed} of ${all} failed`
}
