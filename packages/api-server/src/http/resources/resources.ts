import {
  type DeleteOptions,
  genericResponse,
  groupResourceOf,
  type KubeObject,
  notAcceptable,
  notFound,
  type Status
} from "@rollcall/api"
import * as Result from "effect/Result"
import { isCustom } from "../../core/registry/KindDefinition.ts"
import type { KindState } from "../../core/registry/KindState.ts"
import type { Steps } from "../../core/turns/Steps.ts"
import type { Call } from "../call/Call.ts"
import { sendStatus, sendText } from "../call/respond.ts"
import { decodePatchInSteps, patchTypeOf } from "../codec/index.ts"
import { collectionMediaTypes, mediaTypes, negotiate } from "../request/mediaTypes.ts"
import { deleteQuery, isStatus, listQuery, patchQuery, writeQuery } from "../request/Query.ts"
import type { Route, Subroute } from "../request/Routes.ts"
import { isProxyMethod } from "./NodeProxy.ts"
import {
  addressOf,
  collectionOf,
  decodeDeleteOptions,
  decodeObjectInSteps,
  passToServer,
  type ResourceContext,
  runInSteps
} from "./passToServer.ts"
import { sendShaped } from "./shape.ts"

const itemVerbs: ReadonlySet<string> = new Set(["get", "update", "patch", "delete"])
const collectionVerbs: ReadonlySet<string> = new Set(["list", "watch", "create", "deletecollection"])
/** The verbs of a collection across all namespaces. */
const allNamespacesVerbs: ReadonlySet<string> = new Set(["list", "watch"])

/** Returns the 404 or 405 of a path and method that are not served; undefined if they are. */
const addressRefusal = (call: Call, route: Route, subroute: Subroute | undefined): Status | undefined => {
  const { name, namespace, rest, subresource, verb, watchPath } = call.info
  const { namespaced, kind } = route.resource
  const namespaceItself = kind === "Namespace" && route.resource.group === ""
  const isProxy = subroute?.isProxy === true
  if ((rest && !isProxy) || (subresource !== "" && subroute === undefined)) return genericResponse(404)
  if (!namespaced && namespace !== "" && !(namespaceItself && namespace === name)) return genericResponse(404)
  if (namespaced && namespace === "" && name !== "") return genericResponse(404)
  if (watchPath && verb !== "watch") return genericResponse(405)
  if (isProxy && watchPath) return genericResponse(404)
  if (isProxy) return isProxyMethod(call.request.method) ? undefined : genericResponse(405)
  if (subroute !== undefined) return subroute.verbs.includes(verb) ? undefined : genericResponse(405)
  if (name !== "" && !watchPath) {
    return itemVerbs.has(verb) && route.state !== undefined ? undefined : genericResponse(405)
  }
  if (route.state === undefined) return verb === "create" ? undefined : genericResponse(405)
  if (namespaced && namespace === "") return allNamespacesVerbs.has(verb) ? undefined : genericResponse(405)
  if (verb === "deletecollection" && namespaceItself) return genericResponse(405)
  return collectionVerbs.has(verb) ? undefined : genericResponse(405)
}

/** Serves an authorized request for a resource. */
export const serveResource = (context: ResourceContext, call: Call, route: Route) => {
  const { info, query } = call
  const subroute = info.subresource === "" ? undefined : route.subresources.get(info.subresource)
  const refusal = addressRefusal(call, route, subroute)
  if (refusal !== undefined) return sendStatus(call, refusal)
  if (subroute?.isProxy === true && route.state !== undefined) return context.nodeProxy.serve(call, route.state)
  const negotiated = negotiate(call.header("accept"), route.isCustom ? "customObjects" : "objects")
  if (negotiated === undefined) {
    const collection = info.verb === "list" || info.verb === "watch"
    return sendStatus(call, notAcceptable(collection ? collectionMediaTypes : mediaTypes))
  }
  call.negotiated = negotiated
  const { state } = route
  if (state === undefined) return runInSteps(context, call, serveCreate(context, call, route, undefined))
  switch (info.verb) {
    case "get": {
      if (subroute?.name === "log") return serveLog(call, state)
      const resourceVersion = query.text("resourceVersion")
      const version = resourceVersion === undefined ? {} : { resourceVersion }
      return passToServer(context, call, state, { verb: "get", ...addressOf(call, state, subroute), ...version })
    }
    case "list": {
      const options = listQuery(query, false)
      if (isStatus(options)) return sendStatus(call, options)
      const { allowWatchBookmarks: _, timeoutSeconds: _seconds, ...selection } = options
      return passToServer(context, call, state, { verb: "list", ...collectionOf(call, state), ...selection })
    }
    case "watch":
      return context.watches.serve(call, state)
    case "create":
      return runInSteps(context, call, serveCreate(context, call, route, subroute))
    case "update":
      return runInSteps(context, call, serveUpdate(context, call, route, state, subroute))
    case "patch":
      return runInSteps(context, call, servePatch(context, call, state, subroute))
    default:
      return serveDelete(context, call, state)
  }
}

/** Serves the log of a pod: modelled containers write none. */
const serveLog = (call: Call, { cache, definition }: KindState) => {
  const { name, namespace } = call.info
  const found = cache.get(namespace, name) !== undefined
  if (found) sendText(call, 200, "")
  else sendStatus(call, notFound(groupResourceOf(definition.resource), name))
}

const serveCreate = function* (
  context: ResourceContext,
  call: Call,
  route: Route,
  subroute: Subroute | undefined
): Steps<void> {
  const options = writeQuery("CreateOptions", call.query)
  if (isStatus(options)) return sendStatus(call, options)
  const { body } = call
  const decoded = yield* decodeObjectInSteps(call, body, route, subroute, options.fieldValidation)
  call.releaseBody?.()
  if (Result.isFailure(decoded)) return sendStatus(call, decoded.failure)
  const { object, warnings } = decoded.success
  const virtual = subroute === undefined ? route.virtual : subroute.virtual
  const { name, namespace } = call.info
  if (virtual !== undefined) {
    const dryRun = options.dryRun === true
    const answer = virtual.create({ user: call.identity, namespace, name, object: object as KubeObject, dryRun })
    return Result.isFailure(answer)
      ? sendStatus(call, answer.failure, warnings)
      : sendShaped(call, undefined, 201, answer.success, warnings, context)
  }
  if (route.bindings) return serveBindings(context, call, object, options)
  const state = route.state
  if (state === undefined) return sendStatus(call, genericResponse(404))
  const address = addressOf(call, state, subroute)
  const { name: _, ...place } = address
  passToServer(
    context,
    call,
    state,
    { verb: "create", ...(name === "" ? place : address), ...options, object },
    warnings
  )
}

/** Serves a POST to `bindings` as one to the binding subresource of the pod that the Binding names. */
const serveBindings = (context: ResourceContext, call: Call, object: unknown, options: object) => {
  const name = (object as Partial<KubeObject> | null)?.metadata?.name ?? ""
  const state = context.server.registry.kinds.Pod
  const { namespace } = call.info
  passToServer(context, call, state, {
    verb: "create",
    kind: "Pod",
    namespace,
    name,
    subresource: "binding",
    ...options,
    object
  })
}

const serveUpdate = function* (
  context: ResourceContext,
  call: Call,
  route: Route,
  state: KindState,
  subroute: Subroute | undefined
): Steps<void> {
  const options = writeQuery("UpdateOptions", call.query)
  if (isStatus(options)) return sendStatus(call, options)
  const { body } = call
  const decoded = yield* decodeObjectInSteps(call, body, route, subroute, options.fieldValidation)
  call.releaseBody?.()
  if (Result.isFailure(decoded)) return sendStatus(call, decoded.failure)
  const address = addressOf(call, state, subroute)
  const refusal = state.definition.allowCreateOnUpdate ? creationRefusal(context, call, state) : undefined
  if (refusal !== undefined) return sendStatus(call, refusal)
  const { object, warnings } = decoded.success
  passToServer(context, call, state, { verb: "update", ...address, ...options, object }, warnings)
}

const servePatch = function* (
  context: ResourceContext,
  call: Call,
  state: KindState,
  subroute: Subroute | undefined
): Steps<void> {
  const custom = isCustom(state.definition)
  const contentType = call.header("content-type")
  const patchType = patchTypeOf(contentType, custom)
  if (Result.isFailure(patchType)) return sendStatus(call, patchType.failure)
  const options = patchQuery(call.query, patchType.success)
  if (isStatus(options)) return sendStatus(call, options)
  const { body: bytes } = call
  const fieldValidation = options.fieldValidation ?? "Warn"
  const decoded = yield* decodePatchInSteps({ contentType, bytes, fieldValidation, custom })
  call.releaseBody?.()
  if (Result.isFailure(decoded)) return sendStatus(call, decoded.failure)
  const { patch: body, strictErrors } = decoded.success
  const address = addressOf(call, state, subroute)
  const refusal = patchType.success === "apply" ? creationRefusal(context, call, state) : undefined
  if (refusal !== undefined) return sendStatus(call, refusal)
  const strict = strictErrors.length === 0 ? {} : { strictErrors }
  passToServer(context, call, state, {
    verb: "patch",
    ...address,
    ...options,
    patchType: patchType.success,
    body,
    ...strict
  })
}

/**
 * Returns the refusal of a write that would create the object, because it does not exist, if the caller may write and
 * not create; otherwise undefined.
 */
const creationRefusal = (context: ResourceContext, call: Call, { cache, definition }: KindState) => {
  const { name, namespace } = call.info
  const exists = cache.get(definition.resource.namespaced ? namespace : "", name) !== undefined
  return exists || call.info.subresource !== "" ? undefined : context.mayCreate(call)
}

const serveDelete = (context: ResourceContext, call: Call, state: KindState) => {
  const { info, query } = call
  const { body } = call
  let options: DeleteOptions | Status
  if (body.length > 0) {
    const decoded = decodeDeleteOptions(call, body)
    if (Result.isFailure(decoded)) return sendStatus(call, decoded.failure)
    options = decoded.success.object as DeleteOptions
  } else options = deleteQuery(query)
  if (isStatus(options)) return sendStatus(call, options)
  if (info.verb === "delete") {
    return passToServer(context, call, state, { verb: "delete", ...addressOf(call, state, undefined), options })
  }
  const selection = listQuery(query, false)
  if (isStatus(selection)) return sendStatus(call, selection)
  const { fieldSelector, labelSelector } = selection
  passToServer(context, call, state, {
    verb: "deletecollection",
    ...collectionOf(call, state),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    options
  })
}
