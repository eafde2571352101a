import { createHash } from "node:crypto"
import type { Resource } from "@rollcall/api"
import type { HandleError } from "@rollcall/time"
import type { Route, Routes, Subroute } from "../request/Routes.ts"

const resourceVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]

const verbsOf = ({ resource, state }: Route): ReadonlyArray<string> => {
  if (state === undefined) return ["create"]
  const isNamespaces = resource.kind === "Namespace" && resource.group === ""
  return isNamespaces ? resourceVerbs.filter((verb) => verb !== "deletecollection") : resourceVerbs
}

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
  groups: [...routes.groups()].filter(([group]) => group !== "").map(([group, versions]) => apiGroup(group, versions))
})

/** Returns the answer to `GET /api/v1` or `GET /apis/<group>/<version>`, without resources whose entry throws. */
export const apiResourceList = (group: string, version: string, served: Iterable<Route>, catching: CatchErrors) => ({
  kind: "APIResourceList",
  apiVersion: "v1",
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
  const stored = { ...resource, version: state?.definition.storageVersion ?? resource.version }
  const hash = state === undefined ? "" : storageVersionHash(stored)
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
  items: [...routes.groups()]
    .filter(([group]) => (group === "") === core)
    .map(([group, versions]) => ({
      metadata: { ...(group === "" ? {} : { name: group }), creationTimestamp: null },
      versions: versions.map((version) => ({
        version,
        resources: [...(routes.groupVersion(group, version)?.values() ?? [])].flatMap(
          (route) => catching(route.resource, () => [aggregatedEntry(route)]) ?? []
        ),
        freshness: "Current"
      }))
    }))
})

const aggregatedEntry = (route: Route) => {
  const { resource, subresources } = route
  const { group, kind, version } = resource
  const scope = resource.namespaced ? "Namespaced" : "Cluster"
  return {
    resource: resource.plural,
    responseKind: { group, version, kind },
    scope,
    singularResource: resource.singular,
    verbs: verbsOf(route),
    ...namesOf(resource),
    ...(subresources.size === 0
      ? {}
      : {
          subresources: [...subresources.values()].map((subroute) => ({
            subresource: subroute.name,
            responseKind: subroute.kind,
            verbs: subroute.verbs
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
