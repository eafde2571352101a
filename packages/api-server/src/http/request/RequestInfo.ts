import type { FlowRequestInfo } from "@rollcall/flow-control"
import { goString } from "@rollcall/protobuf"

/**
 * The attributes of a request that follow from its method and path alone, so that it can be authorized before its body
 * is read. Names are empty if the path has none. Upstream:
 * staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo.go.
 */
export interface RequestInfo extends FlowRequestInfo {
  /** The number of segments from the resource on: 1 for a collection, 2 with a name, 3 with a subresource. */
  readonly parts: number
  /** Whether the resource comes after `/namespaces/{namespace}/`. */
  readonly inNamespace: boolean
  /** What comes before the resource: the deprecated `/watch/`, or `/proxy/`, under which nothing is served any more. */
  readonly prefix: "" | "watch" | "proxy"
}

const verbs: Readonly<Record<string, string>> = {
  GET: "get",
  HEAD: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete"
}

/** In `/namespaces/{name}/{segment}` these are subresources of the namespace; other segments are resources in it. */
const namespaceSubresources: ReadonlySet<string> = new Set(["status", "finalize"])

/** Returns the attributes of a request for a non-resource path. */
const nonResource = (method: string, path: string): RequestInfo => ({
  verb: method.toLowerCase(),
  isResource: false,
  path,
  group: "",
  version: "",
  namespace: "",
  resource: "",
  name: "",
  subresource: "",
  parts: 0,
  inNamespace: false,
  prefix: ""
})

/**
 * Returns the attributes of a request. `path` is decoded and has no query; `watching` says whether the query asks for a
 * watch. There are no `parts` in `/api/v1/watch`, which Kubernetes answers with 500.
 */
export const requestInfoOf = (method: string, path: string, watching: boolean): RequestInfo => {
  const core = path.startsWith("/api/")
  if (!core && !path.startsWith("/apis/")) return nonResource(method, path)
  const parts = path.split("/")
  // The path may end in slashes.
  let end = parts.length
  while (parts[end - 1] === "") end--
  // The index of the segment after `/api/{version}` or `/apis/{group}/{version}`.
  let at = core ? 3 : 4
  if (end <= at) return nonResource(method, path)
  const group = core ? "" : (parts[2] as string)
  const version = parts[at - 1] as string
  const first = parts[at]
  const prefix = first === "watch" || first === "proxy" ? first : ""
  if (prefix !== "") at++
  let namespace = ""
  let inNamespace = false
  if (parts[at] === "namespaces" && end > at + 1) {
    namespace = parts[at + 1] as string
    if (end > at + 2 && !namespaceSubresources.has(parts[at + 2] as string)) {
      at += 2
      inNamespace = true
    }
  }
  const name = end > at + 1 ? (parts[at + 1] as string) : ""
  return {
    verb: prefix === "" ? verbOf(method, name, watching) : prefix,
    isResource: true,
    path,
    group,
    version,
    namespace,
    resource: end > at ? (parts[at] as string) : "",
    name,
    subresource: end > at + 2 && prefix !== "proxy" ? (parts[at + 2] as string) : "",
    parts: end - at,
    inNamespace,
    prefix
  }
}

const verbOf = (method: string, name: string, watching: boolean): string => {
  const verb = verbs[method] ?? ""
  if (name !== "") return verb
  if (verb === "get") return watching ? "watch" : "list"
  return verb === "delete" ? "deletecollection" : verb
}

/**
 * Returns the path and query of a request target, which may contain the server: `http://host/path` in a request line.
 */
export const originForm = (url: string): string => {
  if (url.startsWith("/")) return url
  const [, rest] = /^https?:\/\/[^/?#]*([\s\S]*)$/i.exec(url) ?? []
  if (rest === undefined) return url
  return rest.startsWith("/") ? rest : `/${rest}`
}

const escapeOrByte = /[%\x80-\xff]/
const beyondAscii = /[\x80-\xff]/

/** Decodes percent escapes; returns undefined if they are invalid. Bytes that are no UTF-8 stay bytes, as in Go. */
export const decodedPath = (path: string): string | undefined => {
  if (!escapeOrByte.test(path)) return path
  // A request line is read as bytes, one a character.
  const isAscii = !beyondAscii.test(path)
  if (/%(?![\da-f]{2})/i.test(path)) return undefined
  if (isAscii) {
    try {
      return decodeURIComponent(path)
    } catch {
      // It has bytes that are no UTF-8.
    }
  }
  const bytes = path.replace(/%(..)/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
  return goString(Buffer.from(bytes, "latin1"))
}
