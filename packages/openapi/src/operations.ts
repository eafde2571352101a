/**
 * The operations of the API on paths, as the installer of Kubernetes registers them: the router answers by them (404,
 * 405, 406, 415), and OpenAPI lists them. Upstream: apiserver/pkg/endpoints/installer.go, registerResourceHandlers.
 */

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS"

export type Action =
  | "LIST"
  | "POST"
  | "DELETECOLLECTION"
  | "WATCHLIST"
  | "GET"
  | "PUT"
  | "PATCH"
  | "DELETE"
  | "WATCH"
  | "CONNECT"

/** The operations of a path by their HTTP method. */
export type Operations = ReadonlyMap<string, Action>

/** A path of a resource, relative to its group version. */
export interface OperationPath {
  /** `namespaces/{namespace}/pods/{name}`. */
  readonly template: string
  readonly operations: Operations
  /** Whether it is a collection across all namespaces. */
  readonly acrossNamespaces: boolean
  readonly subresource: string
  /** Whether any path may follow, as `{path}`. */
  readonly withPath: boolean
}

/** What the paths of a resource follow from. */
export interface OperationSource {
  readonly plural: string
  readonly namespaced: boolean
  readonly verbs: ReadonlyArray<string>
  readonly subresources: Iterable<{
    readonly name: string
    readonly verbs: ReadonlyArray<string>
    readonly isConnected?: boolean
  }>
}

/** The action of each verb with its method, by the kind of path. */
const collectionActions = {
  list: ["GET", "LIST"],
  create: ["POST", "POST"],
  deletecollection: ["DELETE", "DELETECOLLECTION"]
} as const
const itemActions = {
  get: ["GET", "GET"],
  update: ["PUT", "PUT"],
  patch: ["PATCH", "PATCH"],
  delete: ["DELETE", "DELETE"]
} as const
const subresourceActions = { ...itemActions, create: ["POST", "POST"] } as const

/** The methods that connect an object to its client. Upstream: pkg/registry/core/node/rest/proxy.go, proxyMethods. */
const connectMethods: ReadonlyArray<HttpMethod> = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
const PROXY: Operations = new Map(connectMethods.map((method) => [method, "CONNECT"]))
/** The methods of connections that become streams. Upstream: pkg/registry/core/pod/rest/subresources.go. */
const STREAM: Operations = new Map([
  ["GET", "CONNECT"],
  ["POST", "CONNECT"]
])
const connectionsOf = (verbs: ReadonlyArray<string>): Operations => (verbs.includes("update") ? PROXY : STREAM)

const operationsOf = (
  verbs: ReadonlyArray<string>,
  actions: Readonly<Record<string, readonly [HttpMethod, Action]>>
): Operations => new Map(Object.entries(actions).flatMap(([verb, action]) => (verbs.includes(verb) ? [action] : [])))

/** Returns the paths of a resource that have operations. */
export const pathsOf = ({ namespaced, plural, subresources, verbs }: OperationSource): ReadonlyArray<OperationPath> => {
  const collection = namespaced ? `namespaces/{namespace}/${plural}` : plural
  const item = `${collection}/{name}`
  const lists = operationsOf(verbs, { list: ["GET", "LIST"] })
  const watchLists = operationsOf(verbs, { watch: ["GET", "WATCHLIST"] })
  const main = { subresource: "", acrossNamespaces: false, withPath: false }
  const paths: Array<OperationPath> = [
    { ...main, template: collection, operations: operationsOf(verbs, collectionActions) },
    { ...main, template: `watch/${collection}`, operations: watchLists },
    { ...main, template: item, operations: operationsOf(verbs, itemActions) },
    { ...main, template: `watch/${item}`, operations: operationsOf(verbs, { watch: ["GET", "WATCH"] }) }
  ]
  if (namespaced) {
    paths.push({ ...main, acrossNamespaces: true, template: plural, operations: lists })
    paths.push({ ...main, acrossNamespaces: true, template: `watch/${plural}`, operations: watchLists })
  }
  for (const { isConnected = false, name, verbs } of subresources) {
    const operations = isConnected ? connectionsOf(verbs) : operationsOf(verbs, subresourceActions)
    const path = { ...main, subresource: name, template: `${item}/${name}`, operations }
    paths.push(path)
    if (operations === PROXY) paths.push({ ...path, template: `${path.template}/{path}`, withPath: true })
  }
  return paths.filter(({ operations }) => operations.size > 0)
}
