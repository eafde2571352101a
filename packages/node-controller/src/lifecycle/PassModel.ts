import * as Context from "effect/Context"

/** The modelled duration and cost of a monitor pass, besides its requests. */
export interface PassModel {
  /**
   * A pass takes `baseMs + perNodeMs * nodes`. With no duration, on a clock that stands still while code runs, a silent
   * node would be noticed one whole period late.
   */
  readonly baseMs: number
  readonly perNodeMs: number
  /**
   * Also observe nodes without requests in `node_collector_update_node_health_duration_seconds`, as upstream does:
   * this costs time.
   */
  readonly metersEveryNode: boolean
}

/** The default: real time, in which a pass has its real duration. A rehearsal sets another. */
export const CurrentPassModel = Context.Reference<PassModel>("@rollcall/node-controller/CurrentPassModel", {
  defaultValue: () => ({ baseMs: 0, perNodeMs: 0, metersEveryNode: true })
})
