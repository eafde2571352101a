import type { Resource } from "@rollcall/api"
import type { Subresource } from "@rollcall/cluster"
import type { VirtualResource } from "../../core/admission/VirtualResource.ts"
import { BINDINGS } from "../../core/registry/bindingsView.ts"
import { compareVersions } from "../../core/registry/compareVersions.ts"
import { isCustom } from "../../core/registry/KindDefinition.ts"
import type { KindState } from "../../core/registry/KindState.ts"
import type { Registry } from "../../core/registry/Registry.ts"
import { OperationTable } from "./OperationTable.ts"
import type { DiscoveredVersion } from "./RemoteVersions.ts"

/** The handling of a resource's paths: objects of a kind, or a resource that supports only POST. */
export interface Route {
  readonly resource: Resource
  /** The stored kind; undefined for a resource that is not stored. */
  readonly state: KindState | undefined
  /** Whether its kind is a custom resource. */
  readonly isCustom: boolean
  /** A resource that is answered and not stored, such as TokenReview. */
  readonly virtual: VirtualResource | undefined
  /** Whether it is `bindings`, which stores nothing: a POST binds the pod that its body names. */
  readonly bindings: boolean
  /** Whether it is `componentstatuses`, which are computed when they are read. */
  readonly components: boolean
  readonly subresources: ReadonlyMap<string, Subroute>
  readonly verbs: ReadonlyArray<string>
  readonly operations: OperationTable
}

/** The handling of a subresource's paths. */
export interface Subroute {
  readonly name: string
  /** Undefined for one that is not a part of the stored object: `log`, `proxy`, or a virtual one. */
  readonly subresource: Subresource | undefined
  readonly virtual: VirtualResource | undefined
  readonly verbs: ReadonlyArray<string>
  /** Whether requests of any method, with the rest of their path, are forwarded to a kubelet. */
  readonly isConnected?: boolean
  /** What it connects a client to, instead of reading or writing an object. */
  readonly connects?: "node" | "pod" | "service"
  /** The kind of the body and the answer. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string }
}

/** The resources of one group and version, by their plural, sorted by name. */
export type GroupVersion = ReadonlyMap<string, Route>

const subresourceVerbs: Readonly<Record<Subresource, ReadonlyArray<string>>> = {
  status: ["get", "patch", "update"],
  scale: ["get", "patch", "update"],
  binding: ["create"],
  eviction: ["create"],
  finalize: ["update"],
  ephemeralcontainers: ["get", "patch", "update"],
  resize: ["get", "patch", "update"],
  approval: ["get", "patch", "update"]
}

/** The kinds of subresources whose body is not an object of the resource. */
const otherKinds: Partial<Record<Subresource, Subroute["kind"]>> = {
  scale: { group: "autoscaling", version: "v1", kind: "Scale" },
  eviction: { group: "policy", version: "v1", kind: "Eviction" },
  binding: { group: "", version: "v1", kind: "Binding" }
}

/** The health of the components of the control plane. Upstream: pkg/registry/core/componentstatus. */
export const COMPONENT_STATUSES: Resource = {
  kind: "ComponentStatus",
  group: "",
  version: "v1",
  plural: "componentstatuses",
  singular: "componentstatus",
  shortNames: ["cs"],
  namespaced: false
}

/** Anything that a kubelet, a pod or the endpoint of a Service serves. Upstream: pkg/registry/core/node/rest/proxy.go. */
const PROXY = { name: "proxy", verbs: ["create", "delete", "get", "patch", "update"], isConnected: true }

/** The connections to a pod, with the kinds of their options. Upstream: pkg/registry/core/pod/rest. */
const podConnections = [
  { name: "attach", verbs: ["create", "get"], isConnected: true, kind: "PodAttachOptions" },
  { name: "exec", verbs: ["create", "get"], isConnected: true, kind: "PodExecOptions" },
  { name: "log", verbs: ["get"], kind: "Pod" },
  { name: "portforward", verbs: ["create", "get"], isConnected: true, kind: "PodPortForwardOptions" },
  { ...PROXY, kind: "PodProxyOptions" }
] as const

const versionKey = (group: string, version: string): string => `${group}/${version}`

const byName = <A>(map: Map<string, A>): Map<string, A> =>
  new Map([...map].toSorted(([left], [right]) => (left < right ? -1 : 1)))

/** Returns the route of a kind. */
export const routeOf = (state: KindState, virtuals: ReadonlyArray<VirtualResource>): Route => {
  const { proxyOptions, resource, subresources } = state.definition
  const own = { group: resource.group, version: resource.version, kind: resource.kind }
  const subroutes = new Map<string, Subroute>()
  for (const name of subresources) {
    const kind = otherKinds[name] ?? own
    subroutes.set(name, { name, subresource: name, virtual: undefined, verbs: subresourceVerbs[name], kind })
  }
  for (const virtual of virtuals) {
    const { subresource } = virtual
    if (subresource?.parent !== resource.plural || resource.group !== "") continue
    const { group, kind, version } = virtual.resource
    const route = { name: subresource.name, subresource: undefined, virtual, verbs: ["create"] }
    subroutes.set(subresource.name, { ...route, kind: { group, version, kind } })
  }
  const unstored = { subresource: undefined, virtual: undefined }
  for (const connection of state.definition.key === "Pod" ? podConnections : []) {
    const kind = { ...own, kind: connection.kind }
    subroutes.set(connection.name, { ...unstored, ...connection, connects: "pod", kind })
  }
  if (proxyOptions !== undefined) {
    const connects = state.definition.key === "Service" ? "service" : "node"
    subroutes.set("proxy", { ...unstored, ...PROXY, connects, kind: { ...own, kind: proxyOptions } })
  }
  // Those of custom resources are in the order of their definition. Upstream: customresource_discovery_controller.go.
  const custom = isCustom(state.definition)
  return routeWith({ resource, state, isCustom: custom, subresources: custom ? subroutes : byName(subroutes) })
}

/** Returns a route with its verbs and operations. */
export const routeWith = (parts: Pick<Route, "resource"> & Partial<Route>): Route => {
  const { resource, state, subresources = new Map() } = parts
  const verbs = parts.isCustom === true ? customVerbs : verbsOf(resource, state !== undefined)
  const { namespaced, plural } = resource
  const operations = new OperationTable({ plural, namespaced, verbs, subresources: subresources.values() })
  return {
    state: undefined,
    isCustom: false,
    virtual: undefined,
    bindings: false,
    components: false,
    ...parts,
    subresources,
    verbs,
    operations
  }
}

const resourceVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
/** In the order of upstream's discovery of custom resources: apiextensions-apiserver/pkg/apiserver. */
const customVerbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]
const namespaceVerbs = resourceVerbs.filter((verb) => verb !== "deletecollection")

const verbsOf = ({ group, kind }: Resource, isStored: boolean): ReadonlyArray<string> => {
  if (!isStored) return kind === COMPONENT_STATUSES.kind ? ["get", "list"] : ["create"]
  return kind === "Namespace" && group === "" ? namespaceVerbs : resourceVerbs
}

/** The served resources by group, version and plural. Built again whenever a kind is added or removed. */
export class Routes {
  private readonly registry: Registry
  private readonly virtuals: ReadonlyArray<VirtualResource>
  private versions: ReadonlyMap<string, GroupVersion> = new Map()
  private builtInGroups: ReadonlySet<string> = new Set()
  /** Increases with every change of `remote`. */
  remoteGeneration = 0
  /** What other API servers serve. */
  remote: ReadonlyArray<DiscoveredVersion> = []
  /** Increases with every change, so that values computed from the routes can be cached by it. */
  generation = 0

  constructor(registry: Registry, virtuals: ReadonlyArray<VirtualResource>) {
    this.registry = registry
    this.virtuals = virtuals
    this.rebuild()
    registry.observe(() => this.rebuild())
  }

  /** Returns all routes of a group and version; undefined when it is not served. */
  groupVersion(group: string, version: string): GroupVersion | undefined {
    return this.versions.get(versionKey(group, version))
  }

  find(group: string, version: string, plural: string): Route | undefined {
    return this.versions.get(versionKey(group, version))?.get(plural)
  }

  /** Whether a group has built-in kinds: its unknown paths are answered by the router, with a Status. */
  isBuiltIn(group: string): boolean {
    return this.builtInGroups.has(group)
  }

  /** Returns the groups with their versions, the preferred one first; the core group is "". */
  groups(): ReadonlyMap<string, ReadonlyArray<string>> {
    const groups = new Map<string, Array<string>>()
    for (const key of this.versions.keys()) {
      const slash = key.indexOf("/")
      const group = key.slice(0, slash)
      const versions = groups.get(group) ?? []
      versions.push(key.slice(slash + 1))
      groups.set(group, versions)
    }
    for (const versions of groups.values()) versions.sort(compareVersions)
    return groups
  }

  /** Takes over what other API servers serve, for discovery. */
  setRemote(remote: ReadonlyArray<DiscoveredVersion>): void {
    this.remote = remote
    this.remoteGeneration++
  }

  private rebuild(): void {
    const versions = new Map<string, Map<string, Route>>()
    const put = (route: Route) => {
      const { group, plural, version } = route.resource
      const key = versionKey(group, version)
      const known = versions.get(key)
      if (known === undefined) versions.set(key, new Map([[plural, route]]))
      else known.set(plural, route)
    }
    for (const state of this.registry.states()) {
      if (state.definition.hidden !== true) put(routeOf(state, this.virtuals))
    }
    for (const virtual of this.virtuals) {
      if (virtual.subresource !== undefined) continue
      put(routeWith({ resource: virtual.resource, virtual }))
    }
    put(routeWith({ resource: BINDINGS, bindings: true }))
    put(routeWith({ resource: COMPONENT_STATUSES, components: true }))
    const builtIn = [...versions.values()].flatMap((routes) => [...routes.values()]).filter((route) => !route.isCustom)
    this.builtInGroups = new Set(builtIn.map(({ resource }) => resource.group))
    this.versions = new Map([...versions].map(([key, routes]) => [key, byName(routes)]))
    this.generation++
  }
}
