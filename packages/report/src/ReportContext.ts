import type { EventDetails, ResultContext, ScenarioResult } from "@rollcall/simulator/result"

/** How the release empties a lost node: by taints, or by deleting its pods. */
export type PodEviction = ResultContext["podEviction"]

/** The facts that the description of a trace needs beside the trace. */
export interface ReportContext {
  /** Returns the zone of a node, or "". */
  readonly zoneOf: (node: string) => string
  /** Absent for a trace without its result; then it is `taints`. */
  readonly podEviction?: PodEviction | undefined
  /** Returns the number of nodes in a zone. */
  readonly sizeOf?: ((zone: string) => number | undefined) | undefined
  /** The events of the scenario in time order. */
  readonly events?: ReadonlyArray<EventDetails> | undefined
}

/** Makes a function that returns the zone of a node of the result, or "". */
export const makeZoneOf = ({ context: { zones } }: Pick<ScenarioResult, "context">): ((node: string) => string) => {
  const zoneOf = new Map(Object.entries(zones).flatMap(([zone, nodes]) => nodes.map((node) => [node, zone] as const)))
  return (node) => zoneOf.get(node) ?? ""
}

/** Makes a function that returns the largest size of a zone in the controller's metrics. */
const makeSizeOf = ({ metrics }: ScenarioResult): ReportContext["sizeOf"] => {
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
  zoneOf: makeZoneOf(result),
  sizeOf: makeSizeOf(result)
})
