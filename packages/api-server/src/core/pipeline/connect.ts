import { badRequest, genericResponse, type Status, unknownError } from "@rollcall/api"
import {
  ApiError,
  type ApiRequest,
  type Connection,
  cancellable,
  type WatchRequest,
  type WatchSink
} from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { KindState } from "../registry/KindState.ts"
import type { Cached } from "../watch/KindCache.ts"
import { selectionOf } from "../watch/Selection.ts"
import { bind } from "./binding.ts"
import { create } from "./create.ts"
import { Exchange, type Identity, type Reply } from "./Exchange.ts"
import { evict } from "./eviction.ts"
import { get, list, revisionOf, unreadableRevisionText } from "./read.ts"
import { remove } from "./remove.ts"
import { removeCollection } from "./removeCollection.ts"
import { renew } from "./renew.ts"
import type { ServerCore } from "./ServerCore.ts"
import { patch, update } from "./update.ts"

/** Makes a connection of an authenticated user. Answers before `send` returns if the store does. */
export const connect = (core: ServerCore, identity: Identity): Connection => {
  let renewed: Cached | undefined
  return {
    send: cancellable((request, reply) => {
      const now = answer(core, identity, request, reply, renewed)
      if (now !== undefined && now !== renewed) renewed = now
    }),
    watch: (request, sink) => {
      const state = core.registry.kind(request.kind)
      return state === undefined ? refuseWatch(core, sink, genericResponse(404)) : watch(core, state, request, sink)
    }
  }
}

/** As `connect().send`, with the status code and the warnings of the HTTP response. */
export const serving =
  (core: ServerCore) =>
  (identity: Identity, request: ApiRequest, reply: Reply): void => {
    answer(core, identity, request, reply, undefined)
  }

/** Handles a request. Takes the object last renewed over this connection, and returns the one renewed now. */
const answer = (
  core: ServerCore,
  identity: Identity,
  request: ApiRequest,
  reply: Reply,
  last: Cached | undefined
): Cached | undefined => {
  const state = core.registry.kind(request.kind)
  if (state !== undefined && request.verb === "update") {
    const renewed = renew(core, identity, state, request, reply, last)
    if (renewed !== undefined) return renewed
  }
  const reads = request.verb === "get" || request.verb === "list"
  const exchange = new Exchange(identity, request, reply, reads ? undefined : core.audit)
  if (state === undefined) exchange.refuse(genericResponse(404))
  else dispatch(core, exchange, state, request)
  return undefined
}

const dispatch = (core: ServerCore, exchange: Exchange, state: KindState, request: ApiRequest): void => {
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

const watch = (core: ServerCore, state: KindState, request: WatchRequest, sink: WatchSink): (() => void) => {
  const selection = selectionOf(state.definition, request)
  if (Result.isFailure(selection)) return refuseWatch(core, sink, badRequest(selection.failure.message))
  const after = revisionOf(request.resourceVersion)
  if (Number.isNaN(after)) {
    return refuseWatch(core, sink, unknownError(unreadableRevisionText(request.resourceVersion ?? "")))
  }
  const anywhere = after === undefined || after === 0
  const initial = request.sendInitialEvents ?? anywhere
  const start = {
    initial,
    // Without a revision and without initial events: starts now.
    after: initial || anywhere ? core.registry.revision : after,
    bookmarkInitialEnd: request.sendInitialEvents === true
  }
  return state.channel.watch(request, selection.success, start, sink)
}

const refuseWatch = ({ timers }: ServerCore, sink: WatchSink, status: Status): (() => void) => {
  let active = true
  timers.soon(() => {
    if (active) sink.end(new ApiError({ status }))
  })
  return () => {
    active = false
  }
}
