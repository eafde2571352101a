import {
  badRequest,
  type DeleteOptions,
  genericResponse,
  groupResourceOf,
  type KubeObject,
  type Node,
  notFound,
  type Status
} from "@rollcall/api"
import type { PatchType } from "@rollcall/cluster"
import type { Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import { bindingsView } from "../../core/registry/bindingsView.ts"
import { isCustom } from "../../core/registry/KindDefinition.ts"
import type { KindState } from "../../core/registry/KindState.ts"
import type { Call } from "../call/Call.ts"
import { sendPageNotFound, sendStatus } from "../call/respond.ts"
import { bodyTypeRefusal } from "../codec/decodeBody.ts"
import { decodePatchInSteps, patchTypeOf } from "../codec/decodePatch.ts"
import { negotiate, noAcceptedType } from "../request/mediaTypes.ts"
import { deleteQuery, isStatus, listQuery, patchQuery, writeQuery } from "../request/Query.ts"
import type { Route, Subroute } from "../request/Routes.ts"
import { serveComponentStatuses } from "./componentStatuses.ts"
import { admitConnection } from "./connections.ts"
import {
  addressOf,
  collectionOf,
  decodeDeleteOptions,
  decodeObjectInSteps,
  passToServer,
  type ResourceContext,
  runInSteps
} from "./passToServer.ts"
import { servePodConnection } from "./podConnect.ts"
import { answerKindOf, customRefusal, keyRefusal, NAMELESS, nameRefusal, routerRefusal } from "./refusals.ts"
import { serveServiceProxy } from "./serviceConnect.ts"
import { serveVirtual } from "./virtual.ts"

const NO_EXPORT = badRequest("the export parameter, deprecated since v1.14, is no longer supported")

/** Warns of a deprecated version; of one of custom resources also where the request is refused at once. */
const warnOfDeprecation = (call: Call, { state }: Route) => {
  const { deprecation } = state?.definition ?? {}
  if (deprecation !== undefined) call.warnings = [...call.warnings, deprecation]
}

/** Serves an authorized request for a resource. */
export const serveResource = (context: ResourceContext, call: Call, route: Route) => {
  const { info, query } = call
  const refusal = route.isCustom ? customRefusal(call, route) : routerRefusal(call, route)
  if (refusal === "page") return sendPageNotFound(call)
  if (refusal !== undefined) {
    if (route.isCustom) warnOfDeprecation(call, route)
    return sendStatus(call, refusal)
  }
  const subroute = info.subresource === "" ? undefined : route.subresources.get(info.subresource)
  const isConnection = subroute?.connects !== undefined && info.subresource !== "log"
  // A connection answers in its own types; its refusals are JSON if the client accepts no type of theirs.
  if (isConnection) call.negotiated = negotiate(call.header("accept"), "plain")
  const { state } = route
  if (isConnection && subroute !== undefined && state !== undefined)
    return serveConnection(context, call, state, subroute)
  if (state?.definition.deprecation !== undefined) {
    warnOfDeprecation(call, route)
    call.isDeprecated = true
  }
  if (route.isCustom && info.verb === "patch") {
    const patchType = patchTypeOf(call.header("content-type"), true)
    if (Result.isFailure(patchType)) return sendStatus(call, patchType.failure)
  }
  const negotiated = negotiate(call.header("accept"), answerKindOf(route, subroute))
  if (negotiated === undefined) return sendStatus(call, noAcceptedType())
  call.negotiated = negotiated
  if (subroute?.connects === "pod" && state !== undefined) return servePod(context, call, state)
  if (route.components) return serveComponentStatuses(context, call)
  if (state === undefined) return runInSteps(context, call, serveCreate(context, call, route, undefined))
  const unstorable = keyRefusal(call, state)
  if (unstorable !== undefined) return sendStatus(call, unstorable)
  switch (info.verb) {
    case "get": {
      const unnamed = nameRefusal(call, route)
      if (unnamed !== undefined) return sendStatus(call, unnamed)
      if (query.flag("export") === true) return sendStatus(call, NO_EXPORT)
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
      return serveDelete(context, call, route, state)
  }
}

const serveConnection = (context: ResourceContext, call: Call, state: KindState, subroute: Subroute) =>
  admitConnection(context, call, state, subroute, (path) => {
    if (subroute.connects === "node") context.nodeProxy.serve(call, state, path)
    else if (subroute.connects === "service") serveServiceProxy(call, context.server.registry, context.nodeProxy, path)
    else servePod(context, call, state, path)
  })

const servePod = ({ nodeProxy, server }: ResourceContext, call: Call, state: KindState, path = "") => {
  const nodeNamed = (name: string) => server.registry.kinds.Node.cache.get("", name)?.object as Node | undefined
  servePodConnection(call, state, { kubelets: nodeProxy, nodeNamed }, path)
}

const serveCreate = function* (
  context: ResourceContext,
  call: Call,
  route: Route,
  subroute: Subroute | undefined
): Steps<void> {
  const options = bodyTypeRefusal(call.header("content-type")) ?? writeQuery("CreateOptions", call.query)
  if (isStatus(options)) return sendStatus(call, options)
  const { body } = call
  const decoded = yield* decodeObjectInSteps(call, body, route, subroute, options.fieldValidation)
  call.releaseBody?.()
  if (Result.isFailure(decoded)) return sendStatus(call, decoded.failure)
  const { object, warnings } = decoded.success
  const virtual = subroute === undefined ? route.virtual : subroute.virtual
  if (virtual !== undefined)
    return yield* serveVirtual(context, call, virtual, options, { object: object as KubeObject, warnings })
  if (route.bindings) return serveBindings(context, call, object, options)
  const state = route.state
  if (state === undefined) return sendStatus(call, genericResponse(404))
  const address = addressOf(call, state, subroute)
  const { name: _, ...place } = address
  passToServer(
    context,
    call,
    state,
    { verb: "create", ...(subroute === undefined ? place : address), ...options, object },
    warnings
  )
}

/** Serves a POST to `bindings`. */
const serveBindings = (context: ResourceContext, call: Call, object: unknown, options: object) => {
  const state = context.server.registry.kinds.Pod
  const { namespace } = call.info
  passToServer(context, call, state, { verb: "create", kind: bindingsView.key, namespace, ...options, object })
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
  if (call.info.name === "") return sendStatus(call, NAMELESS)
  const options = patchQuery(call.query, patchType.success)
  if (isStatus(options)) return sendStatus(call, options)
  const { body: bytes } = call
  const fieldValidation = options.fieldValidation ?? "Warn"
  const decoded = yield* decodePatchInSteps({ contentType, bytes, fieldValidation, custom })
  call.releaseBody?.()
  if (Result.isFailure(decoded))
    return sendStatus(call, missingObject(call, state, patchType.success) ?? decoded.failure)
  const { patch: body, strictErrors } = decoded.success
  const address = addressOf(call, state, subroute)
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

/** Returns the 404 for an object that does not exist, which upstream finds before it decodes a patch. */
const missingObject = ({ info }: Call, { cache, definition }: KindState, patchType: PatchType): Status | undefined => {
  const { namespaced } = definition.resource
  if (patchType === "apply" || cache.get(namespaced ? info.namespace : "", info.name) !== undefined) return undefined
  return notFound(groupResourceOf(definition.resource), info.name)
}

const serveDelete = (context: ResourceContext, call: Call, route: Route, state: KindState) => {
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
    const unnamed = nameRefusal(call, route)
    if (unnamed !== undefined) return sendStatus(call, unnamed)
    return passToServer(context, call, state, { verb: "delete", ...addressOf(call, state, undefined), options })
  }
  const selection = listQuery(query, false)
  if (isStatus(selection)) return sendStatus(call, selection)
  const { allowWatchBookmarks: _, timeoutSeconds: _seconds, ...listed } = selection
  passToServer(context, call, state, { verb: "deletecollection", ...collectionOf(call, state), ...listed, options })
}
