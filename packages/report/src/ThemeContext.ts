import type { EventDetails, ResultContext, ScenarioResult } from "@rollcall/simulator/result"

/** What is done to a lost node: it is tainted, or emptied. */
export type Done = ResultContext["podEviction"]

/** What telling a trace needs to know beside it. */
export interface ThemeContext {
  readonly zoneOf: (node: string) => string
  readonly podEviction?: Done | undefined
  /** How many nodes a zone has. */
  readonly sizeOf?: ((zone: string) => number | undefined) | undefined
  /** The events of the scenario, in the order in which they happen. */
  readonly events?: ReadonlyArray<EventDetails> | undefined
}

/** The zone that each node of a result is or was in; of others none. */
export const zonesOf = ({ context: { zones } }: Pick<ScenarioResult, "context">): ((node: string) => string) => {
  const zoneOf = new Map(Object.entries(zones).flatMap(([zone, nodes]) => nodes.map((node) => [node, zone] as const)))
  return (node) => zoneOf.get(node) ?? ""
}

/** The nodes of a zone, by the controller's metrics. */
const sizesOf = ({ metrics }: ScenarioResult): ThemeContext["sizeOf"] => {
  const sizes = new Map<string, number>()
  for (const { zones: all } of metrics) {
    for (const [key, { size }] of Object.entries(all)) {
      const zone = key.slice(key.indexOf("/") + 1)
      sizes.set(zone, Math.max(size, sizes.get(zone) ?? 0))
    }
  }
  return (zone) => sizes.get(zone)
}

/** What telling the trace of a result needs to know beside it. */
export const themesOf = (result: ScenarioResult): ThemeContext => ({
  events: result.context.events,
  podEviction: result.context.podEviction,
  zoneOf: zonesOf(result),
  sizeOf: sizesOf(result)
})
