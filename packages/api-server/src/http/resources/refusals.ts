import {
  badRequest,
  genericResponse,
  goQuote,
  groupResourceOf,
  internalError,
  methodNotSupported,
  notFound,
  type Status,
  unknownError
} from "@rollcall/api"
import type { Action } from "@rollcall/openapi/operations"
import type { KindState } from "../../core/registry/KindState.ts"
import type { Call } from "../call/Call.ts"
import {
  type AnswerKind,
  acceptsOneOf,
  consumesOneOf,
  mediaTypes,
  noRepresentation,
  streamMediaTypes,
  UNSUPPORTED_MEDIA_TYPE
} from "../request/mediaTypes.ts"
import type { Route, Subroute } from "../request/Routes.ts"

/** The Content-Types that the router passes on to a patch of a built-in kind. */
const patchTypes = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml"
]

const collectionTypes = [...mediaTypes, ...streamMediaTypes]
const logTypes = ["text/plain", ...mediaTypes]

/** Returns the media types that the router knows for an operation. */
const producedBy = (action: Action, subresource: string): ReadonlyArray<string> => {
  if (action === "LIST" || action === "WATCHLIST" || action === "WATCH") return collectionTypes
  return subresource === "log" ? logTypes : mediaTypes
}

/**
 * Returns the answer of the router to a request for a built-in kind that no handler serves; undefined for others.
 * Upstream: go-restful's CurlyRouter, over the routes of endpoints/installer.go.
 */
export const routerRefusal = (call: Call, route: Route): Status | undefined => {
  const operations = route.operations.at(call.info)
  if (operations === undefined) return genericResponse(404)
  const action = operations.get(call.request.method ?? "")
  if (action === undefined) return genericResponse(405)
  if (action === "CONNECT") return undefined
  if (action === "PATCH" && !consumesOneOf(call.header("content-type"), patchTypes)) return UNSUPPORTED_MEDIA_TYPE
  const produced = producedBy(action, call.info.subresource)
  return acceptsOneOf(call.header("accept"), produced) ? undefined : noRepresentation(produced)
}

/** The verbs of custom resources by their subresource. Upstream: apiextensions-apiserver/pkg/apiserver, crdHandler. */
const customVerbs = (subresource: string): ReadonlyArray<string> =>
  subresource === ""
    ? ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"]
    : ["get", "update", "patch"]

export const NAMELESS = badRequest("name must be provided")

/** Returns the answer to a request for a custom resource that no handler serves; undefined for others. */
export const customRefusal = ({ info }: Call, { resource, subresources }: Route): Status | "page" | undefined => {
  const { name, namespace, subresource, verb } = info
  if (!resource.namespaced && namespace !== "") return "page"
  if (resource.namespaced && namespace === "" && verb !== "list" && verb !== "watch") return "page"
  if (subresource !== "" && !subresources.has(subresource)) return notFound(groupResourceOf(resource), name)
  if (!customVerbs(subresource).includes(verb)) return methodNotSupported(groupResourceOf(resource), verb)
  return verb === "update" && name === "" ? NAMELESS : undefined
}

/** Returns the 400 for a name or namespace in the path that no object can have. Upstream: NamespaceKeyFunc. */
export const nameRefusal = ({ info }: Call, { resource }: Route): Status | undefined => {
  const { name, namespace, parts } = info
  if (parts < 2) return undefined
  if (name === "") return NAMELESS
  if (resource.namespaced && namespace === "") return badRequest("Namespace parameter required.")
  const fault = name === "." || name === ".." ? `may not be '${name}'` : name.includes("%") ? "may not contain '%'" : ""
  return fault === "" ? undefined : badRequest(`Name parameter invalid: ${goQuote(name)}: ${fault}`)
}

/** Returns the 406 for a representation that an answer of this Go type cannot have. */
export const wrongRepresentation = (asked: string, is: string, goType: string): Status => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: `you requested ${asked}, but the requested object is ${is} (*${goType})`,
  reason: "NotAcceptable",
  code: 406
})

/** Returns the representations of a path's answers. Only some storages convert to tables. Upstream: rest.TableConvertor. */
export const answerKindOf = (
  { bindings, isCustom: custom, state, virtual }: Route,
  subroute: Subroute | undefined
): AnswerKind => {
  if (custom) return "customObjects"
  const isReview = virtual !== undefined || bindings || subroute?.virtual !== undefined
  return isReview ||
    subroute?.connects !== undefined ||
    isUntabled(subroute?.subresource, state?.definition.resource.kind)
    ? "untabled"
    : "objects"
}

const untabledSubresources: ReadonlySet<string> = new Set([
  "approval",
  "binding",
  "ephemeralcontainers",
  "eviction",
  "finalize",
  "log",
  "resize"
])

/** The kinds whose storage of the status does not convert to tables. */
const untabledStatuses: ReadonlySet<string> = new Set(["APIService", "CustomResourceDefinition", "ResourceClaim"])

const isUntabled = (subresource: string | undefined, kind: string | undefined): boolean =>
  subresource !== undefined &&
  (untabledSubresources.has(subresource) || (subresource === "status" && untabledStatuses.has(kind ?? "")))

/** The errors of the store's keys. Upstream: apiserver/pkg/storage/util.go, PrepareKey. */
export const keyRefusal = ({ info }: Call, { definition }: KindState): Status | undefined => {
  const { name, namespace, verb } = info
  if (!definition.resource.namespaced || (namespace !== "." && namespace !== "..")) return undefined
  if (verb === "create")
    return internalError(`invalid resource name ${goQuote(namespace)}: [may not be '${namespace}']`)
  const key = `${definition.prefix.slice("/registry".length)}${namespace}${name === "" ? "" : `/${name}`}`
  return unknownError(`invalid key: ${goQuote(key)}`)
}
