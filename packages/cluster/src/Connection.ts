import type { DeleteOptions, KindName, KubeObject, Node, Status } from "@rollcall/api"
import type { Rng } from "@rollcall/time"
import type * as Result from "effect/Result"
import type { ClusterError } from "./ClusterError.ts"
import type { HeartbeatColumns, HeartbeatOwner, HeartbeatStay } from "./heartbeats/HeartbeatColumns.ts"
import type { RenewalTimes } from "./heartbeats/RenewalColumns.ts"
import type { ReportOwner } from "./heartbeats/ReportColumns.ts"

/** The patch type of a PATCH body: the API's Content-Types by their usual short names. */
export type PatchType = "json" | "merge" | "strategic" | "apply"

/** The subresources that the modelled part of the API serves. */
export type Subresource =
  | "status"
  | "binding"
  | "eviction"
  | "scale"
  | "finalize"
  | "ephemeralcontainers"
  | "resize"
  | "approval"

/**
 * A kind that a server learns at run time, or a built-in kind as another API group serves it: kind, group and version,
 * `Dial.example.com/v1`.
 */
export type CustomKind = `${string}.${string}`

/** The kind of a request. */
export type AnyKind = KindName | CustomKind

interface RequestOf<Verb extends string> {
  readonly verb: Verb
  readonly kind: AnyKind
  /** Empty or absent for cluster-scoped kinds, and for lists over all namespaces. */
  readonly namespace?: string
}

interface NamedRequestOf<Verb extends string> extends RequestOf<Verb> {
  readonly name: string
  readonly subresource?: Subresource
}

interface Write {
  readonly dryRun?: boolean
  readonly fieldManager?: string
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict"
}

interface Selection {
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

export interface GetRequest extends NamedRequestOf<"get"> {
  /** "0" accepts any cached state. */
  readonly resourceVersion?: string
}

/** Which state of a collection, and which part of it. */
export interface ListPart {
  readonly limit?: number
  readonly continue?: string
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan"
}

export interface ListRequest extends RequestOf<"list">, Selection, ListPart {}

export interface CreateRequest extends RequestOf<"create">, Write {
  /** Required with a subresource (binding, eviction, token); otherwise the name is the object's. */
  readonly name?: string
  /** `token`: the object is a TokenRequest for the ServiceAccount of that name. */
  readonly subresource?: Subresource | "token"
  readonly object: unknown
}

export interface UpdateRequest extends NamedRequestOf<"update">, Write {
  readonly object: unknown
}

export interface PatchRequest extends NamedRequestOf<"patch">, Write {
  readonly patchType: PatchType
  readonly body: unknown
  readonly force?: boolean
  /** Duplicate fields that strict decoding found in the text of the body, where there was a text. */
  readonly strictErrors?: ReadonlyArray<string>
}

export interface DeleteRequest extends NamedRequestOf<"delete"> {
  readonly options?: DeleteOptions
}

/** Deletes the objects that a list with the same options returns. */
export interface DeleteCollectionRequest extends RequestOf<"deletecollection">, Selection, ListPart {
  readonly options?: DeleteOptions
}

/** One request to the API as plain data: what an HTTP client sends and an audit log records. */
export type ApiRequest =
  | GetRequest
  | ListRequest
  | CreateRequest
  | UpdateRequest
  | PatchRequest
  | DeleteRequest
  | DeleteCollectionRequest

export interface WatchRequest extends RequestOf<"watch">, Selection {
  /** Sends events after this revision. Absent or "0": starts from the present state, sent as ADDED events. */
  readonly resourceVersion?: string
  readonly allowWatchBookmarks?: boolean
  /**
   * With resourceVersionMatch=NotOlderThan: sends the present state as ADDED events, followed by an annotated BOOKMARK.
   */
  readonly sendInitialEvents?: boolean
  readonly timeoutSeconds?: number
}

/** Objects are immutable and shared: every watcher of an event holds the same value. */
export type WatchEvent<A = KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: A }
  | { readonly type: "BOOKMARK"; readonly object: KubeObject }
  | { readonly type: "ERROR"; readonly object: Status }

/** The receiver of a watch. Neither function is called before `watch` has returned, or after `end`. */
export interface WatchSink {
  /** Events in revision order, at least one. */
  readonly events: (batch: ReadonlyArray<WatchEvent>) => void
  /** The watch is over: the server closed it (undefined) or it broke. After a Gone error, list again. */
  readonly end: (error: ClusterError | undefined) => void
  /**
   * Called when the time of the watch is over, in place of `end` and of a new watch from the last revision seen. Returns
   * that revision and the new timeout; undefined if the watch must end. A layer for which opening a watch has a cost or
   * an effect leaves it out.
   */
  readonly renew?: () => WatchRenewal | undefined
  /**
   * Called when a watch has failed that did not reach the server, in place of `end` and of a new watch: as `renew`. A layer
   * for which opening a watch has a cost or an effect leaves it out.
   */
  readonly reopen?: (error: ClusterError) => WatchRenewal | undefined
  /**
   * Lets a watch whose bookmarks are told late go on without a call of `renew`. A layer that may refuse a renewal while
   * bookmarks are late leaves it out.
   */
  readonly renewals?: LateRenewals
  /** Lets bookmarks be told late. By default each is an event. */
  readonly bookmarks?: BookmarkSink
  /** Lets a watch of Leases or Nodes do without events of heartbeats in columns. By default it gets every event. */
  readonly heartbeats?: HeartbeatSink
}

/** A watch that takes bookmarks late: of several that are due, it is told the last one. */
export interface BookmarkSink {
  /** Hands it the bookmarks that are not told. Returns false if it needs each as an event. */
  readonly attached: (late: LateBookmark) => boolean
  /** Tells the revision of the last bookmark that was due, before any later event or end. */
  readonly told: (revision: string) => void
}

/** A watch that is told late that its time was over and that it goes on. */
export interface LateRenewals {
  /** Draws the random number of the next watch, and returns the timeout that follows from one. */
  readonly random: Rng
  readonly timeoutSecondsOf: (drawn: number) => number
  /** Tells the last renewal, before any later bookmark, event or end. */
  readonly renewed: (renewal: LateRenewal) => void
}

export interface LateRenewal {
  /** The last revision that the watch had seen. */
  readonly revision: number
  readonly atMs: number
  /** Its place among the watches that were opened or renewed, a number of `nextWatchOrder`. */
  readonly order: number
}

/** The bookmarks and renewals that a watch has not been told. */
export interface LateBookmark {
  /** Tells the last ones, if there are any. */
  readonly settle: () => void
  /** Tells the last ones, and sends each further bookmark as an event. */
  readonly wake: () => void
}

/** How a watch goes on whose time is over. */
export interface WatchRenewal {
  readonly resourceVersion: string
  readonly timeoutSeconds: number
}

/** A watch that reads heartbeats from columns. */
export interface HeartbeatSink {
  /** Whether it does: asked when the watch begins. */
  readonly accepts: () => boolean
  /** Hands it the columns, which from now on have heartbeats that it gets no events of. */
  readonly attached: (columns: HeartbeatColumns) => void
  /** Tells the revision of the last heartbeat that it reads from the columns, before it goes on in place. */
  readonly seen: (revision: number) => void
  /** The watch ends, or is stopped; no call follows. */
  readonly detached: () => void
  /** Receives an object that is made of columns, as an event of its own revision: later events may have come before it. */
  readonly made: (event: WatchEvent) => void
}

/** The stay of a loop of requests at a link that is cut. */
export interface CutStay {
  /** After how long each request ends, and with which error. */
  readonly timeoutMs: number
  readonly error: ClusterError
  /** Sends a request as if it had been sent at an earlier time of the stay. Call it when the stay is over. */
  readonly sendFrom: (sentAtMs: number, request: ApiRequest, reply: (answer: Answer) => void) => void
  /** Ends the stay. */
  readonly end: () => void
}

/** Hands a client's heartbeats over to columns. */
export interface HeartbeatLane {
  /** Takes over the renewals of the Lease that this connection has just renewed. Returns undefined if it does not. */
  readonly enterRenewals: (owner: HeartbeatOwner, times: RenewalTimes) => HeartbeatStay | undefined
  /**
   * Stores the next state of a Node of which only heartbeat times in the status differ from `current`, the state that the
   * client knows. Returns the stored Node; undefined if it has done nothing, and the client must send a request.
   */
  readonly postHeartbeats: (current: Node, next: Node) => Node | undefined
  /** Takes over the reports of a Node of which only heartbeat times change. Returns undefined if it does not. */
  readonly enterReports: (owner: ReportOwner) => HeartbeatStay | undefined
  /** Takes the heartbeats of all clients of the server back. */
  readonly leaveAll: () => void
  /**
   * Takes over a loop of requests over a link that is cut: it sends none, since where it is at some time follows from
   * when it began. `leave` is called before the link changes, when the stay is over: the loop then sends the one that waits.
   * Returns undefined if one may be answered.
   */
  readonly enterCut?: (leave: () => void) => CutStay | undefined
}

/** The response to a request: the object, list or Status that the API returned, or the error. */
export type Answer = Result.Result<unknown, ClusterError>

/**
 * The API client in callback form: one function to send a request, one to watch. Layers over a cluster (a node's link,
 * a client-side rate limit, authentication) are functions from Connection to Connection.
 * `send` calls `reply` exactly once, before it returns or later. It returns a function that cancels the request: after
 * that, `reply` is not called. A cancelled request that waits in the client is never sent, and one on the wire is
 * aborted; the server may still complete what it has started. A connection that is closed replies to all its pending
 * requests. `watch` returns a function that ends the watch without calling `end`.
 */
export interface Connection {
  readonly send: (request: ApiRequest, reply: (answer: Answer) => void) => () => void
  readonly watch: (request: WatchRequest, sink: WatchSink) => () => void
  /**
   * Present if requests over this connection are handled at once, and heartbeats can be rows of columns. A layer that
   * may delay or refuse requests leaves it out, or takes the heartbeats back before it does so.
   */
  readonly heartbeats?: HeartbeatLane
}

/** The type of an object by the kind of its request. */
export type { KindName }
