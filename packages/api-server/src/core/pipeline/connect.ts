import { badRequest, genericResponse, type Node, type Status, unknownError } from "@rollcall/api"
import {
  ApiError,
  type ApiRequest,
  type Connection,
  cancellable,
  type HeartbeatLane,
  type WatchRequest,
  type WatchSink
} from "@rollcall/cluster"
import * as Result from "effect/Result"
import { invalidRevisionMessage, revisionOf } from "../objects/revisions.ts"
import { bindingsView } from "../registry/bindingsView.ts"
import type { KindState } from "../registry/KindState.ts"
import type { QuietKinds } from "../registry/QuietKinds.ts"
import type { Cached } from "../watch/KindCache.ts"
import { selectionOf } from "../watch/Selection.ts"
import { bind } from "./binding.ts"
import { create } from "./create.ts"
import { type Audit, type CreationRefusal, Exchange, type Identity, type Reply } from "./Exchange.ts"
import { evict } from "./eviction.ts"
import { issueToken } from "./issueToken.ts"
import { entryOfHeartbeat, postHeartbeats } from "./postHeartbeats.ts"
import { get, list, whenCurrentShown, whenRequestedShown } from "./read.ts"
import { remove } from "./remove.ts"
import { removeCollection } from "./removeCollection.ts"
import { renew } from "./renew.ts"
import type { ServerCore } from "./ServerCore.ts"
import { replyShown } from "./shown.ts"
import { patch, update } from "./update.ts"
import { mayWriteFromCache, writeFromCache } from "./writeFromCache.ts"

/** What the server knows of a client between its requests. */
interface Client {
  /** The cache entry that its latest heartbeat renewed. */
  lastRenewed: Cached | undefined
  /** Whether it is told warnings, or only answers. */
  readonly readsWarnings: boolean
  readonly creationRefusal?: CreationRefusal
}

/**
 * Makes a connection of an authenticated user. Requests are answered before `send` returns, if the store answers
 * synchronously.
 */
export const connect = (core: ServerCore, identity: Identity): Connection => {
  const client: Client = { lastRenewed: undefined, readsWarnings: false }
  const { quiet } = core.registry
  return {
    ...(quiet === undefined ? {} : { heartbeats: heartbeatLane(core, quiet, client) }),
    send: cancellable((request, reply) => {
      const renewed = answer(core, identity, request, reply, client)
      if (renewed !== undefined && renewed !== client.lastRenewed) client.lastRenewed = renewed
    }),
    watch: (request, sink) => {
      const state = core.registry.kind(request.kind)
      return state === undefined ? refuseWatch(core, sink, genericResponse(404)) : watch(core, state, request, sink)
    }
  }
}

/** Hands the heartbeats of the connection's node over to columns, as long as nothing needs a request for each. */
const heartbeatLane = (core: ServerCore, { leases, leaveAll, nodes }: QuietKinds, client: Client): HeartbeatLane => ({
  enterRenewals: (owner, times) => {
    const { lastRenewed: cached } = client
    if (cached === undefined || cached.object !== owner.object || core.auditsRenewals === true) return undefined
    return core.admission.get("Lease", "update", undefined) === undefined
      ? leases.enter(cached, owner, times)
      : undefined
  },
  postHeartbeats: (current, next) => postHeartbeats(core, current, next),
  enterReports: (owner) => {
    const cached = entryOfHeartbeat(core, owner.object as Node)
    return cached && nodes.enter(cached, owner)
  },
  leaveAll
})

const httpClients: Client = { lastRenewed: undefined, readsWarnings: true }

/** Makes `ApiServerShape.serve`: as `connect().send`, it handles a request; the reply has a status code and warnings. */
export const makeServe =
  (core: ServerCore) =>
  (identity: Identity, request: ApiRequest, reply: Reply, creationRefusal?: CreationRefusal): void => {
    const client = creationRefusal === undefined ? httpClients : { ...httpClients, creationRefusal }
    answer(core, identity, request, reply, client)
  }

/** Handles a request. Returns the cache entry that it renews, if it is a heartbeat. */
const answer = (
  core: ServerCore,
  identity: Identity,
  request: ApiRequest,
  reply: Reply,
  client: Client
): Cached | undefined => {
  const state = core.registry.kind(request.kind)
  if (state !== undefined && request.verb === "update") {
    const renewed = renew(core, identity, state, request, reply, client.lastRenewed)
    if (renewed !== undefined) return renewed
  }
  handle(core, identity, state, request, replyShown(state, request, reply), client)
  return undefined
}

/** Handles a request that is no heartbeat. */
const handle = (
  core: ServerCore,
  identity: Identity,
  state: KindState | undefined,
  request: ApiRequest,
  reply: Reply,
  { creationRefusal, readsWarnings }: Client
): void => {
  const reads = request.verb === "get" || request.verb === "list"
  const isShared = core.registry.current.isShared
  const changes = request.verb === "update" || request.verb === "patch"
  const makeExchange = (reply: Reply, audit: Audit | undefined) =>
    new Exchange(identity, request, reply, audit, readsWarnings, creationRefusal)
  if (isShared && changes && state !== undefined && mayWriteFromCache(core, state, request)) {
    writeFromCache(core, state, reply, makeExchange, (exchange) => dispatch(core, exchange, state, request))
    return
  }
  const exchange = makeExchange(reply, reads ? undefined : core.audit)
  if (state === undefined) exchange.refuse(genericResponse(404))
  else if (isShared && needsCurrent(request)) {
    const refuse = (status: Status) => exchange.refuse(status)
    whenCurrentShown(core, state, () => dispatch(core, exchange, state, request), refuse)
  } else dispatch(core, exchange, state, request)
}

/**
 * Whether a request must see what other servers have acknowledged before it: every write but those of `writeFromCache`,
 * because a name that is not found may be new, and a read that names no revision.
 */
const needsCurrent = (request: ApiRequest): boolean =>
  request.verb === "get" || request.verb === "list"
    ? !request.resourceVersion && (request.verb === "get" || !request.continue)
    : true

const dispatch = (core: ServerCore, exchange: Exchange, state: KindState, request: ApiRequest): void => {
  if (state.definition.key === bindingsView.key) {
    if (request.verb === "create") bind(core, exchange, state, request)
    else exchange.refuse(genericResponse(405))
    return
  }
  switch (request.verb) {
    case "update":
      update(core, exchange, state, request)
      break
    case "patch":
      patch(core, exchange, state, request)
      break
    case "get":
      get(core, exchange, state, request)
      break
    case "list":
      list(core, exchange, state, request)
      break
    case "create":
      if (request.subresource === undefined) create(core, exchange, state, request)
      else if (request.subresource === "token") issueToken(core, exchange, state, request)
      else if (!state.definition.subresources.has(request.subresource)) exchange.refuse(genericResponse(404))
      else if (request.subresource === "binding") bind(core, exchange, state, request)
      else if (request.subresource === "eviction") evict(core, exchange, state, request)
      else exchange.refuse(genericResponse(405))
      break
    case "delete":
      remove(core, exchange, state, request)
      break
    case "deletecollection":
      removeCollection(core, exchange, state, request)
      break
    default:
      exchange.refuse(genericResponse(405))
  }
}

const watch = (
  core: ServerCore,
  state: KindState,
  request: WatchRequest,
  sink: WatchSink,
  isCurrent = false
): (() => void) => {
  const selection = selectionOf(state.definition, request)
  if (Result.isFailure(selection)) return refuseWatch(core, sink, badRequest(selection.failure.message))
  const after = revisionOf(request.resourceVersion)
  if (Number.isNaN(after)) {
    return refuseWatch(core, sink, unknownError(invalidRevisionMessage(request.resourceVersion ?? "")))
  }
  const anyRevision = after === undefined || after === 0
  if (after === undefined && core.registry.current.isShared && !isCurrent) {
    return watchLater(core, state, request, sink, (proceed, refuse) => whenCurrentShown(core, state, proceed, refuse))
  }
  if (request.sendInitialEvents === true && !anyRevision && after > core.registry.revision) {
    return watchLater(core, state, request, sink, (proceed, refuse) =>
      whenRequestedShown(core, state, after, proceed, refuse, 1)
    )
  }
  const initial = request.sendInitialEvents ?? anyRevision
  const start = {
    initial,
    // With initial events, or without a revision, the watch continues from the newest revision.
    after: initial || anyRevision ? core.registry.revision : after,
    bookmarkInitialEnd: request.sendInitialEvents === true
  }
  return state.channel.watch(request, selection.success, start, sink)
}

/** Starts a watch once reads show what it must begin with, and ends it if they do not in time. */
const watchLater = (
  core: ServerCore,
  state: KindState,
  request: WatchRequest,
  sink: WatchSink,
  whenShown: (proceed: () => void, refuse: (status: Status) => void) => void
): (() => void) => {
  let cancel = () => {}
  let active = true
  whenShown(
    () => {
      if (active) cancel = watch(core, state, request, sink, true)
    },
    (status) => {
      if (active) sink.end(new ApiError({ status }))
    }
  )
  return () => {
    active = false
    cancel()
  }
}

/** Ends a watch with an error, after `watch` has returned as for any other one. */
const refuseWatch = ({ timers }: ServerCore, sink: WatchSink, status: Status): (() => void) => {
  let active = true
  timers.soon(() => {
    if (active) sink.end(new ApiError({ status }))
  })
  return () => {
    active = false
  }
}
