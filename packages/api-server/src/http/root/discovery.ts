import { createHash } from "node:crypto"
import type { Resource } from "@rollcall/api"
import type { HandleError } from "@rollcall/time"
import type { KindState } from "../../core/registry/KindState.ts"
import type { Route, Routes, Subroute } from "../request/Routes.ts"
import { sortedGroups } from "./sortedGroups.ts"

const groupVersionText = (group: string, version: string): string => (group === "" ? version : `${group}/${version}`)

const namesOf = (resource: Resource) => ({
  ...(resource.shortNames.length === 0 ? {} : { shortNames: resource.shortNames }),
  ...(resource.categories === undefined ? {} : { categories: resource.categories })
})

/**
 * Returns the hash of the storage version, so that clients can detect a change. Upstream:
 * apiserver/pkg/endpoints/discovery/storageversionhash.go.
 */
export const storageVersionHash = ({ group, kind, version }: Pick<Resource, "group" | "kind" | "version">): string =>
  createHash("sha256").update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString("base64")

/** Returns the answer to `GET /api`; `address` is the server's host and port. */
export const apiVersions = (address: string) => ({
  kind: "APIVersions",
  versions: ["v1"],
  serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }]
})

/** Returns an entry of `GET /apis`; with kind and apiVersion it is the answer to `GET /apis/<group>`. */
export const apiGroup = (group: string, versions: ReadonlyArray<string>) => {
  const all = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }))
  return { name: group, versions: all, preferredVersion: all[0] }
}

/** Returns the answer to `GET /apis`. */
export const apiGroupList = (routes: Routes) => ({
  kind: "APIGroupList",
  apiVersion: "v1",
  groups: sortedGroups(routes).map(([group, versions]) => apiGroup(group, versions))
})

/** Returns the answer to `GET /api/v1` or `GET /apis/<group>/<version>`, without resources whose entry throws. */
export const apiResourceList = (group: string, version: string, served: Iterable<Route>, catching: CatchErrors) => ({
  kind: "APIResourceList",
  // Upstream takes the list itself for one of the oldest version, which had none.
  ...(group === "" ? {} : { apiVersion: "v1" }),
  groupVersion: groupVersionText(group, version),
  resources: [...served].flatMap(
    (route) =>
      catching(route.resource, () => [
        resourceEntry(route),
        ...[...route.subresources.values()].map((subroute) => subresourceEntry(route, subroute))
      ]) ?? []
  )
})

const resourceEntry = (route: Route) => {
  const { resource, state } = route
  const stored = state === undefined ? undefined : storedAs(state)
  const hash = stored === undefined || stored.version === "" ? "" : storageVersionHash(stored)
  return {
    name: resource.plural,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: verbsOf(route),
    ...namesOf(resource),
    ...(hash === "" ? {} : { storageVersionHash: hash })
  }
}

const writingVerbs: ReadonlySet<string> = new Set(["patch", "create", "update"])

/** Objects of a custom resource whose definition is being deleted can only be read and deleted. */
const verbsOf = ({ state, verbs }: Route): ReadonlyArray<string> =>
  state?.definition.createRefusal?.("") === undefined ? verbs : verbs.filter((verb) => !writingVerbs.has(verb))

/** Returns the kind in which objects are stored: its own if it says so, otherwise that of the base for a view. */
const storedAs = ({ base, definition }: KindState): Pick<Resource, "group" | "kind" | "version"> => {
  const { storageVersion } = definition
  if (storageVersion !== undefined) return { ...definition.resource, version: storageVersion }
  return (base?.state ?? { definition }).definition.resource
}

const subresourceEntry = ({ resource }: Route, { kind, name, verbs }: Subroute) => {
  const elsewhere = kind.group !== resource.group || kind.version !== resource.version
  return {
    name: `${resource.plural}/${name}`,
    singularName: "",
    namespaced: resource.namespaced,
    ...(elsewhere ? { group: kind.group, version: kind.version } : {}),
    kind: kind.kind,
    verbs
  }
}

/** Returns the aggregated discovery of all groups, or of the core group. Upstream: endpoints/discovery/aggregated. */
export const aggregatedDiscovery = (routes: Routes, core: boolean, catching: CatchErrors) => ({
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  metadata: {},
  items: (core ? [["", ["v1"]] as const] : sortedGroups(routes)).map(([group, versions]) => ({
    metadata: group === "" ? {} : { name: group },
    versions: versions.map((version) => aggregatedVersion(routes, group, version, catching))
  }))
})

const aggregatedVersion = (routes: Routes, group: string, version: string, catching: CatchErrors) => {
  const remote = routes.remote.find((each) => each.group === group && each.version === version)
  if (remote !== undefined) {
    const { isStale, resources } = remote
    const freshness = isStale ? "Stale" : "Current"
    return resources.length === 0 ? { version, freshness } : { version, resources, freshness }
  }
  const served = [...(routes.groupVersion(group, version)?.values() ?? [])]
  const resources = served.flatMap((route) => catching(route.resource, () => [aggregatedEntry(route)]) ?? [])
  return { version, resources, freshness: "Current" }
}

/** The kind of answers. A built-in one of the resource's own version is only named. */
const responseKind = ({ isCustom, resource }: Route, { group, kind, version }: Subroute["kind"]) =>
  isCustom || group !== resource.group || version !== resource.version
    ? { group, version, kind }
    : { group: "", version: "", kind }

const aggregatedEntry = (route: Route) => {
  const { resource, subresources } = route
  return {
    resource: resource.plural,
    responseKind: responseKind(route, resource),
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: resource.singular,
    verbs: verbsOf(route),
    ...namesOf(resource),
    ...(subresources.size === 0
      ? {}
      : {
          subresources: [...subresources.values()].map(({ kind, name, verbs }) => ({
            subresource: name,
            responseKind: responseKind(route, kind),
            verbs
          }))
        })
  }
}

/** Makes the entry of one resource; returns undefined if that throws, so that the document omits it. */
export type CatchErrors = <A>(resource: Resource, make: () => A) => A | undefined

/** Makes entries whose errors go to `handleError`: one invalid kind must not break the whole document. */
export const catchErrors =
  (source: string, handleError: HandleError): CatchErrors =>
  (resource, make) => {
    try {
      return make()
    } catch (error) {
      handleError(source, error, { group: resource.group, version: resource.version, resource: resource.plural })
      return undefined
    }
  }
