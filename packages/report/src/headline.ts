import type { ScenarioResult } from "@rollcall/simulator/result"
import { plural, span } from "@rollcall/text"

/** Returns one line with the release, the size, the duration and the seed of the run. */
export const headline = ({ spec, summary }: ScenarioResult): string => {
  const speed = summary.wallSeconds > 0 ? Math.round(spec.durationSeconds / summary.wallSeconds) : 0
  return `Kubernetes ${spec.release} · ${plural(summary.nodes.registered, "node")} · ${span(spec.durationSeconds)} of virtual time in ${span(summary.wallSeconds)} (${speed.toLocaleString("en-US")} times real time) · seed ${spec.seed}`
}

/** Returns the text about how many expectations held: `2 of 3 expectations failed`. */
export const verdict = ({ expectations }: ScenarioResult): string => {
  const failed = expectations.filter(({ held }) => !held).length
  if (expectations.length === 0) return "no expectations"
  const all = plural(expectations.length, "expectation")
  return failed === 0 ? `all ${all} held` : `${failed} of ${all} failed`
}
