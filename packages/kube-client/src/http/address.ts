import type { Resource } from "@rollcall/api"
import type { ApiRequest, PatchType, WatchRequest } from "@rollcall/cluster"
import type { RawRequest } from "./RawRequest.ts"

/** The part of a resource that its paths need. */
export type Addressed = Pick<Resource, "group" | "version" | "plural" | "namespaced">

const contentTypes: Readonly<Record<PatchType, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml"
}

const jsonHeaders = { accept: "application/json" }

const methods = {
  get: "GET",
  list: "GET",
  watch: "GET",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETE"
} as const

/** The fields of a request that become query parameters of the same name. */
const parameters = [
  "labelSelector",
  "fieldSelector",
  "limit",
  "continue",
  "resourceVersion",
  "resourceVersionMatch",
  "allowWatchBookmarks",
  "sendInitialEvents",
  "timeoutSeconds",
  "fieldManager",
  "fieldValidation",
  "force"
] as const

const pathOf = (request: ApiRequest | WatchRequest, { group, namespaced, plural, version }: Addressed): string => {
  const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`
  const { namespace = "" } = request
  const space = namespaced && namespace !== "" ? `/namespaces/${encodeURIComponent(namespace)}` : ""
  // A create has its object's name in the path only with a subresource.
  const isNamed = "name" in request && (request.verb !== "create" || request.subresource !== undefined)
  const name = isNamed ? `/${encodeURIComponent(request.name ?? "")}` : ""
  const subresource = "subresource" in request && request.subresource !== undefined ? `/${request.subresource}` : ""
  return `${base}${space}/${plural}${name}${subresource}`
}

const queryOf = (request: ApiRequest | WatchRequest): string => {
  const given: Readonly<Record<string, unknown>> = { ...request }
  let query = request.verb === "watch" ? "watch=true" : ""
  const add = (name: string, value: string) => {
    query += `${query === "" ? "" : "&"}${name}=${encodeURIComponent(value)}`
  }
  for (const name of parameters) {
    const value = given[name]
    if (value !== undefined && value !== "") add(name, String(value))
  }
  if (given.dryRun === true) add("dryRun", "All")
  // Servers accept sendInitialEvents only with resourceVersionMatch.
  if (given.sendInitialEvents !== undefined) add("resourceVersionMatch", "NotOlderThan")
  return query
}

const bodyOf = (request: ApiRequest | WatchRequest): { readonly body?: string; readonly contentType?: string } => {
  switch (request.verb) {
    case "create":
    case "update":
      return { body: JSON.stringify(request.object), contentType: "application/json" }
    case "patch":
      return { body: JSON.stringify(request.body), contentType: contentTypes[request.patchType] }
    case "delete":
    case "deletecollection":
      return request.options === undefined
        ? {}
        : {
            body: JSON.stringify({ kind: "DeleteOptions", apiVersion: "v1", ...request.options }),
            contentType: "application/json"
          }
    default:
      return {}
  }
}

/** Translates a request of the Cluster port to HTTP. Upstream: client-go/rest/request.go. */
export const httpRequest = (request: ApiRequest | WatchRequest, resource: Addressed): RawRequest => {
  const { body, contentType } = bodyOf(request)
  const query = queryOf(request)
  return {
    method: methods[request.verb],
    path: query === "" ? pathOf(request, resource) : `${pathOf(request, resource)}?${query}`,
    headers: contentType === undefined ? jsonHeaders : { ...jsonHeaders, "content-type": contentType },
    ...(body === undefined ? {} : { body })
  }
}
