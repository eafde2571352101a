import { parseDuration } from "@rollcall/api"
import type { ScenarioDocument } from "./Scenario.ts"

/** What of a scenario is understood but changes nothing: one warning each. */
export const ineffective = (file: string, spec: ScenarioDocument["spec"]): ReadonlyArray<string> => {
  const found: Array<string> = []
  const say = (path: string, why: string) => found.push(`${file}: ${path} ${why}`)
  const endMs = parseDuration(spec.duration)
  for (const [index, event] of (spec.events ?? []).entries()) {
    const path = `spec.events[${index}]`
    if (parseDuration(event.at) > endMs) say(path, "is after the end of the scenario, and will not happen")
  }
  return found
}
