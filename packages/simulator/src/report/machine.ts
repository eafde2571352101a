import { stringify } from "yaml"
import type { ScenarioResult } from "../Result.ts"

/** The result as one JSON object, a trace entry a line so that two results can be compared with ordinary tools. */
export const renderJson = (result: ScenarioResult): string => {
  const { events, metrics, trace, ...rest } = result
  const lines = (name: string, items: ReadonlyArray<unknown>) =>
    items.length === 0
      ? `  "${name}": []`
      : `  "${name}": [\n    ${items.map((item) => JSON.stringify(item)).join(",\n    ")}\n  ]`
  const head = JSON.stringify(rest, null, 2).replace(/\n}$/, "")
  return `${head},\n${lines("trace", trace)},\n${lines("events", events)},\n${lines("metrics", metrics)}\n}\n`
}

export const renderYaml = (result: ScenarioResult): string => stringify(result, { aliasDuplicateObjects: false })
