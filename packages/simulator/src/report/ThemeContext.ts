import type { Release } from "@rollcall/api"
import type { PlannedEvent } from "../input/events.ts"

/** What is done to a lost node: it is tainted, or emptied. */
export type Done = Release["podEviction"]

/** What telling a trace needs to know beside it. */
export interface ThemeContext {
  readonly zoneOf: (node: string) => string
  readonly podEviction?: Done | undefined
  /** How many nodes a zone has. */
  readonly sizeOf?: ((zone: string) => number | undefined) | undefined
  /** The events of the scenario, in the order in which they happen. */
  readonly events?: ReadonlyArray<PlannedEvent> | undefined
}
