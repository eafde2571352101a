import type { DeleteOptions, KindName, KubeObject, ObjectOf, Status } from "@rollcall/api"
import type * as Result from "effect/Result"
import type { ClusterError } from "./ClusterError.ts"

/** Which patch a PATCH body is: the Content-Types of the API, by their usual short names. */
export type PatchType = "json" | "merge" | "strategic" | "apply"

/** Subresources that the modelled part of the API serves. */
export type Subresource = "status" | "binding" | "eviction" | "scale" | "finalize"

/** A kind that a server learns at run time, or another group's view of one: kind, group and version, `Dial.example.com/v1`. */
export type CustomKind = `${string}.${string}`

/** What a request may be about. */
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

export interface ListRequest extends RequestOf<"list">, Selection {
  readonly limit?: number
  readonly continue?: string
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan"
}

export interface CreateRequest extends RequestOf<"create">, Write {
  /** Given with a subresource (binding, eviction); else the name is the object's. */
  readonly name?: string
  readonly subresource?: Subresource
  readonly object: unknown
}

export interface UpdateRequest extends NamedRequestOf<"update">, Write {
  readonly object: unknown
}

export interface PatchRequest extends NamedRequestOf<"patch">, Write {
  readonly patchType: PatchType
  readonly body: unknown
  readonly force?: boolean
  /** What strict decoding found in the text of the body, where there was a text: doubled fields. */
  readonly strictErrors?: ReadonlyArray<string>
}

export interface DeleteRequest extends NamedRequestOf<"delete"> {
  readonly options?: DeleteOptions
}

export interface DeleteCollectionRequest extends RequestOf<"deletecollection">, Selection {
  readonly options?: DeleteOptions
}

/** One request to the API, in plain data: what an HTTP client would put on the wire, and what an audit log would note. */
export type ApiRequest =
  | GetRequest
  | ListRequest
  | CreateRequest
  | UpdateRequest
  | PatchRequest
  | DeleteRequest
  | DeleteCollectionRequest

export interface WatchRequest extends RequestOf<"watch">, Selection {
  /**
   * Events after this revision. Absent or "0": start from the present state, sent as ADDED events.
   */
  readonly resourceVersion?: string
  readonly allowWatchBookmarks?: boolean
  /** With resourceVersionMatch=NotOlderThan: the present state as ADDED events, closed by an annotated BOOKMARK. */
  readonly sendInitialEvents?: boolean
  readonly timeoutSeconds?: number
}

/** Objects are immutable and shared: every watcher of an event holds the same value. */
export type WatchEvent<A = KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: A }
  | { readonly type: "BOOKMARK"; readonly object: KubeObject }
  | { readonly type: "ERROR"; readonly object: Status }

/** Where a watch delivers. Nothing is called before `watch` has returned, and nothing after `end`. */
export interface WatchSink {
  /** Events in revision order, at least one. */
  readonly events: (batch: ReadonlyArray<WatchEvent>) => void
  /** The watch is over: the server closed it (undefined) or it broke. A Gone error asks for a new list. */
  readonly end: (error: ClusterError | undefined) => void
}

/** The answer to a request: the object, list or Status that the API returned. */
export type Answer = Result.Result<unknown, ClusterError>

/**
 * The port in its plain form: one function to ask, one to watch. Layers over a cluster (a node's link, a client-side rate
 * limit, authentication) are functions from Connection to Connection.
 *
 * `send` calls `reply` exactly once, either before it returns or later, unless the request is cancelled: after the returned
 * function has been called `reply` is not. A request that waits in the client is then never sent, one on a wire is aborted;
 * what the server has begun to do it may still do. A connection that is closed replies to every request that it holds.
 * `watch` returns a function that ends the watch silently.
 */
export interface Connection {
  readonly send: (request: ApiRequest, reply: (answer: Answer) => void) => () => void
  readonly watch: (request: WatchRequest, sink: WatchSink) => () => void
}

/** Object shape by request kind, for callers that know what they asked for. */
export type { KindName, ObjectOf }
