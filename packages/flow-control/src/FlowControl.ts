import type { MetricSet } from "@rollcall/time"

/** The user of a request. */
export interface FlowUser {
  readonly user: string
  readonly groups: ReadonlyArray<string>
}

/** The attributes of a request that follow from its method and path. Names are empty if the path has none. */
export interface FlowRequestInfo {
  /** `get`, `list`, …; for non-resource requests the method in lower case. */
  readonly verb: string
  readonly isResource: boolean
  readonly path: string
  readonly group: string
  readonly version: string
  readonly namespace: string
  readonly resource: string
  readonly name: string
  readonly subresource: string
}

/** A request, as flow control sees it. */
export interface FlowRequest {
  readonly info: FlowRequestInfo
  readonly user: FlowUser
  /** How long it may wait for a seat. */
  readonly waitMs: number
  /**
   * The `limit` of a list, or of a watch that starts with a list; 0 if it has none. Undefined for requests that return
   * at most one object.
   */
  readonly listLimit: number | undefined
}

/**
 * The callbacks of a request. One of them is called once, within `enter` or later; neither is called if the request
 * leaves its place before that.
 */
export interface FlowWork {
  readonly start: (place: Place) => void
  readonly refuse: (place: Place, retryAfterSeconds: number) => void
}

/** A request's place in flow control: in a queue, then executing on its seats. */
export interface Place {
  /** Whether neither callback has been called. */
  readonly isWaiting: boolean
  /** Uids for the response headers; undefined without priority levels. */
  readonly flowSchemaUid: string | undefined
  readonly priorityLevelUid: string | undefined
  /** Called when the work is done, or its client is gone. Further calls do nothing. */
  readonly leave: () => void
}

/**
 * Decides when a request starts: the port between the HTTP server and the fair-queuing of its clients.
 * `priorityAndFairness` and `MaxInFlight` implement it.
 */
export interface FlowControl {
  /** Starts, queues or refuses an authenticated request whose body has been read. */
  readonly enter: (request: FlowRequest, work: FlowWork) => Place
  /** Adds its metrics to those of `/metrics`. */
  readonly addMetrics: (set: MetricSet) => void
  /** Additional text pages by path, for administrators. */
  readonly pages: ReadonlyMap<string, (isDetailed: boolean) => string>
}
