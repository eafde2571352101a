import type { ScenarioResult } from "@rollcall/simulator/result"
import { stringify } from "yaml"

/**
 * Renders a result as one JSON object, with the context on one line and one trace entry on each line, so that ordinary tools can
 * compare two results.
 */
export const renderJson = (result: ScenarioResult): string => {
  const { context, events, metrics, trace, ...rest } = result
  const lines = (name: string, items: ReadonlyArray<unknown>) =>
    items.length === 0
      ? `  "${name}": []`
      : `  "${name}": [\n    ${items.map((item) => JSON.stringify(item)).join(",\n    ")}\n  ]`
  const head = JSON.stringify(rest, null, 2).replace(/\n}$/, "")
  return [
    head,
    `  "context": ${JSON.stringify(context)}`,
    lines("trace", trace),
    lines("events", events),
    `${lines("metrics", metrics)}\n}\n`
  ].join(",\n")
}

/** Renders a result as YAML, without aliases. */
export const renderYaml = (result: ScenarioResult): string => stringify(result, { aliasDuplicateObjects: false })

/** Renders the trace alone, one JSON entry on each line. */
export const renderNdjson = ({ trace }: ScenarioResult): string =>
  trace.map((entry) => `${JSON.stringify(entry)}\n`).join("")
