import type { ClusterError } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { type CommandError, commandError } from "./CommandError.ts"
import type { Host } from "./Host.ts"
import type { Mapping } from "./Mapping.ts"
import { call } from "./request.ts"

interface AggregatedResource {
  readonly resource: string
  readonly responseKind?: { readonly kind?: string }
  readonly scope?: string
  readonly singularResource?: string
  readonly shortNames?: ReadonlyArray<string>
  readonly categories?: ReadonlyArray<string>
}

interface AggregatedDiscovery {
  readonly kind?: string
  readonly items?: ReadonlyArray<{
    readonly metadata?: { readonly name?: string }
    readonly versions?: ReadonlyArray<{
      readonly version: string
      readonly resources?: ReadonlyArray<AggregatedResource>
    }>
  }>
}

/** Asks for aggregated discovery; an older server responds with a plain list. */
const ACCEPT =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"

const mappingsOf = ({ items = [] }: AggregatedDiscovery): ReadonlyArray<Mapping> =>
  items.flatMap(({ metadata, versions = [] }) =>
    versions.flatMap(({ resources = [], version }) =>
      resources.map((found) => ({
        group: metadata?.name ?? "",
        version,
        kind: found.responseKind?.kind ?? "",
        plural: found.resource,
        singular: found.singularResource || (found.responseKind?.kind ?? "").toLowerCase(),
        shortNames: found.shortNames ?? [],
        namespaced: found.scope === "Namespaced",
        categories: found.categories ?? []
      }))
    )
  )

interface LegacyResource {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
  readonly singularName?: string
  readonly shortNames?: ReadonlyArray<string>
  readonly categories?: ReadonlyArray<string>
}

const listLegacyResources = (host: Host, path: string, group: string, version: string) =>
  Effect.map(call(host, { method: "GET", path }), (body): ReadonlyArray<Mapping> => {
    const { resources = [] } = body as { readonly resources?: ReadonlyArray<LegacyResource> }
    return resources
      .filter(({ name }) => !name.includes("/"))
      .map(({ categories = [], kind, name, namespaced, shortNames = [], singularName }) => ({
        group,
        version,
        kind,
        plural: name,
        singular: singularName || kind.toLowerCase(),
        shortNames,
        namespaced,
        categories
      }))
  })

interface Groups {
  readonly groups?: ReadonlyArray<{
    readonly name: string
    readonly versions?: ReadonlyArray<{ readonly version: string }>
  }>
}

/** Reads the resources with one request for each group, for servers without aggregated discovery. */
const discoverLegacy = (host: Host) =>
  Effect.gen(function* () {
    const core = yield* listLegacyResources(host, "/api/v1", "", "v1")
    const { groups = [] } = (yield* call(host, { method: "GET", path: "/apis" })) as Groups
    const named = groups.flatMap(({ name, versions = [] }) => versions.map(({ version }) => ({ name, version })))
    const rest = yield* Effect.forEach(
      named,
      ({ name, version }) => listLegacyResources(host, `/apis/${name}/${version}`, name, version),
      {
        concurrency: 8
      }
    )
    return [...core, ...rest.flat()]
  })

/** Returns the resources of the server, preferred versions first. Upstream: client-go/discovery. */
export const discover = (host: Host): Effect.Effect<ReadonlyArray<Mapping>, ClusterError> =>
  Effect.gen(function* () {
    const headers = { accept: ACCEPT }
    const core = (yield* call(host, { method: "GET", path: "/api", headers })) as AggregatedDiscovery
    if (core.kind !== "APIGroupDiscoveryList") return yield* discoverLegacy(host)
    const groups = (yield* call(host, { method: "GET", path: "/apis", headers })) as AggregatedDiscovery
    return [...mappingsOf(core), ...mappingsOf(groups)]
  })

interface CoreResources {
  readonly resources?: ReadonlyArray<{
    readonly name: string
    readonly kind: string
    readonly group?: string
    readonly version?: string
  }>
}

/**
 * Returns the `apiVersion` of evictions on the server; undefined if it does not support them.
 * Upstream: kubectl/pkg/drain/drain.go, CheckEvictionSupport.
 */
export const evictionVersion = (host: Host): Effect.Effect<string | undefined, ClusterError> =>
  Effect.map(call(host, { method: "GET", path: "/api/v1" }), (body) => {
    const { resources = [] } = body as CoreResources
    const found = resources.find(
      ({ group, kind, name, version }) => name === "pods/eviction" && kind === "Eviction" && group && version
    )
    return found === undefined ? undefined : `${found.group}/${found.version}`
  })

const hasName = (mapping: Mapping, name: string): boolean =>
  mapping.plural === name || mapping.singular === name || mapping.kind.toLowerCase() === name

/**
 * Returns the resource for a name on the command line: plural, singular or short, with an optional group or version and
 * group (`events.events.k8s.io`, `deployments.v1.apps`).
 */
export const findMapping = (mappings: ReadonlyArray<Mapping>, text: string): Mapping | undefined => {
  const lower = text.toLowerCase()
  const plain =
    mappings.find((mapping) => hasName(mapping, lower)) ?? mappings.find(({ shortNames }) => shortNames.includes(lower))
  if (plain !== undefined || !lower.includes(".")) return plain
  const [name = "", ...rest] = lower.split(".")
  const group = rest.join(".")
  const named = mappings.filter((mapping) => hasName(mapping, name) || mapping.shortNames.includes(name))
  return (
    named.find((mapping) => mapping.group === group) ??
    named.find((mapping) => `${mapping.version}.${mapping.group}` === group || group === `${mapping.version}.`)
  )
}

export const noSuchResourceError = (text: string): CommandError =>
  commandError(`the server doesn't have a resource type "${text}"`)

/** Returns the resource of an object in a manifest. */
export const mappingOfObject = (
  mappings: ReadonlyArray<Mapping>,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }
): Mapping | undefined => {
  const [version = "", group = ""] = apiVersion.split("/").toReversed()
  return mappings.find((mapping) => mapping.kind === kind && mapping.version === version && mapping.group === group)
}
