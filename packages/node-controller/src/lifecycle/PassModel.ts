import * as Context from "effect/Context"

/** What a monitor pass takes and costs besides its requests. */
export interface PassModel {
  /** How long it takes: on a clock that stands still while code runs a silent node would be noticed one whole period late. */
  readonly baseMs: number
  readonly perNodeMs: number
  /** Count nodes that needed nothing in `node_collector_update_node_health_duration_seconds` too, as upstream does: at a price. */
  readonly metersEveryNode: boolean
}

/** Real time, in which a pass takes what it takes. A rehearsal sets another. */
export const CurrentPassModel = Context.Reference<PassModel>("@rollcall/node-controller/CurrentPassModel", {
  defaultValue: () => ({ baseMs: 0, perNodeMs: 0, metersEveryNode: true })
})
