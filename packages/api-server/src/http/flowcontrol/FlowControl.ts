import type { UserInfo } from "../../core/admission/Admission.ts"
import type { Gauge } from "../metrics/Metrics.ts"
import type { RequestInfo } from "../request/RequestInfo.ts"

/** A request, as flow control sees it. */
export interface FlowQuestion {
  readonly info: RequestInfo
  readonly user: UserInfo
  /** How long it may wait for a seat, in milliseconds. */
  readonly waitMs: number
  /** Of a list, and of a watch that begins with one: `limit`, 0 for none. Undefined: it returns one object or none. */
  readonly listLimit: number | undefined
}

/** What becomes of the request: one of the two, once, at once or later; neither if its place is left before. */
export interface FlowWork {
  readonly start: (place: Place) => void
  readonly refuse: (place: Place, retryAfterSeconds: number) => void
}

/** A request's place: in a queue, then on its seats. */
export interface Place {
  readonly isWaiting: boolean
  /** Uids for the response headers; undefined: there are none. */
  readonly flowSchemaUid: string | undefined
  readonly priorityLevelUid: string | undefined
  /** The work is done, or its client is gone. Further calls do nothing. */
  readonly leave: () => void
}

/**
 * Decides when the work on a request begins: the port between the HTTP surface and what keeps clients from starving each other.
 * `priorityAndFairness` and `MaxInFlight` implement it.
 */
export interface FlowControl {
  /** Takes in an authenticated request whose body has been read. */
  readonly enter: (question: FlowQuestion, work: FlowWork) => Place
  /** For `/metrics`. */
  readonly gauges: ReadonlyArray<Gauge>
  /** Pages of text under paths of their own, for administrators. */
  readonly pages: ReadonlyMap<string, (isDetailed: boolean) => string>
}
