/**
 * The attributes of a request that follow from its method and path alone, so that it can be authorized before its body
 * is read. Names are empty if the path has none. Upstream:
 * staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo.go.
 */
export interface RequestInfo {
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
  /** Whether more path segments follow the subresource. Such paths are not served. */
  readonly rest: boolean
  /** Whether the path has the deprecated `/watch/` prefix. */
  readonly watchPath: boolean
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
  rest: false,
  watchPath: false
})

/**
 * Returns the attributes of a request. `path` is decoded and has no query; `watching` says whether the query asks for a
 * watch.
 */
export const requestInfoOf = (method: string, path: string, watching: boolean): RequestInfo => {
  const core = path.startsWith("/api/")
  if (!core && !path.startsWith("/apis/")) return nonResource(method, path)
  const parts = path.split("/")
  // An empty last segment: the path ends in a slash.
  const end = parts[parts.length - 1] === "" ? parts.length - 1 : parts.length
  // The index of the segment after `/api/{version}` or `/apis/{group}/{version}`.
  let at = core ? 3 : 4
  if (end <= at) return nonResource(method, path)
  const group = core ? "" : (parts[2] as string)
  const version = parts[at - 1] as string
  const watchPath = parts[at] === "watch" && end > at + 1
  if (watchPath) at++
  let namespace = ""
  if (parts[at] === "namespaces" && end > at + 1) {
    namespace = parts[at + 1] as string
    if (end > at + 2 && !namespaceSubresources.has(parts[at + 2] as string)) at += 2
  }
  const name = end > at + 1 ? (parts[at + 1] as string) : ""
  return {
    verb: verbOf(method, name, watching, watchPath),
    isResource: true,
    path,
    group,
    version,
    namespace,
    resource: parts[at] as string,
    name,
    subresource: end > at + 2 ? (parts[at + 2] as string) : "",
    rest: end > at + 3,
    watchPath
  }
}

const verbOf = (method: string, name: string, watching: boolean, watchPath: boolean): string => {
  const verb = verbs[method] ?? method.toLowerCase()
  if (watchPath && verb === "get") return "watch"
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
