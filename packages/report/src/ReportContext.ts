import type { EventDetails, ResultContext, ScenarioResult } from "@rollcall/simulator/result"

/** How the release empties a lost node: by taints, or by deleting its pods. */
export type Done = ResultContext["podEviction"]

/** The facts that the description of a trace needs beside the trace. */
export interface ReportContext {
  readonly zoneOf: (node: string) => string
  readonly podEviction?: Done | undefined
  /** Returns the number of nodes in a zone. */
  readonly sizeOf?: ((zone: string) => number | undefined) | undefined
  /** The events of the scenario in time order. */
  readonly events?: ReadonlyArray<EventDetails> | undefined
}

/** Returns a function that returns the last zone of a node of the result, or "". */
export const zonesOf = ({ context: { zones } }: Pick<ScenarioResult, "context">): ((node: string) => string) => {
  const zoneOf = new Map(Object.entries(zones).flatMap(([zone, nodes]) => nodes.map((node) => [node, zone] as const)))
  return (node) => zoneOf.get(node) ?? ""
}

/** Returns the largest size of each zone in the controller's metrics. */
const sizesOf = ({ metrics }: ScenarioResult): ReportContext["sizeOf"] => {
  const sizes = new Map<string, number>()
  for (const { zones: all } of metrics) {
    for (const [key, { size }] of Object.entries(all)) {
      const zone = key.slice(key.indexOf("/") + 1)
      sizes.set(zone, Math.max(size, sizes.get(zone) ?? 0))
    }
  }
  return (zone) => sizes.get(zone)
}

/** Returns the facts that the description of a result's trace needs. */
export const reportContextOf = (result: ScenarioResult): ReportContext => ({
  events: result.context.events,
  podEviction: result.context.podEviction,
  zoneOf: zonesOf(result),
  sizeOf: sizesOf(result)
})
