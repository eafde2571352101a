import type { APIService, CustomResourceDefinition } from "@rollcall/api"
import { type ClusterShape, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { keepObject } from "./keepObject.ts"

interface Version {
  readonly group: string
  readonly version: string
  readonly groupPriorityMinimum: number
  readonly versionPriority: number
}

/**
 * The versions that every server serves, with the priorities by which clients order groups and versions. Upstream:
 * pkg/controlplane/apiserver/aggregator.go, cmd/kube-apiserver/app/aggregator.go.
 */
export const ownVersions: ReadonlyArray<Version> = `
 v1 18000 1
admissionregistration.k8s.io v1 16700 15
apiextensions.k8s.io v1 16700 15
apps v1 17800 15
authentication.k8s.io v1 17700 15
authorization.k8s.io v1 17600 15
autoscaling v1 17500 15
autoscaling v2 17500 30
batch v1 17400 15
certificates.k8s.io v1 17300 15
coordination.k8s.io v1 16500 15
discovery.k8s.io v1 16200 15
events.k8s.io v1 17750 15
flowcontrol.apiserver.k8s.io v1 16100 21
networking.k8s.io v1 17200 15
node.k8s.io v1 16300 15
policy v1 17100 15
rbac.authorization.k8s.io v1 17000 15
resource.k8s.io v1 16200 21
scheduling.k8s.io v1 16600 15
storage.k8s.io v1 16800 15
`
  .slice(1, -1)
  .split("\n")
  .map((line) => {
    const [group = "", version = "", groupPriority, versionPriority] = line.split(" ")
    return {
      group,
      version,
      groupPriorityMinimum: Number(groupPriority),
      versionPriority: Number(versionPriority)
    }
  })

const MANAGED = "kube-aggregator.kubernetes.io/automanaged"

type Managed = "onstart" | "true"

const apiServiceOf = ({ group, version, ...priorities }: Version, managed: Managed): APIService => ({
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name: `${version}.${group}`, labels: { [MANAGED]: managed } },
  spec: { ...(group === "" ? {} : { group }), version, ...priorities }
})

/** The priorities of all groups of custom resources. Upstream: aggregator.go, crdRegistrationController. */
const ofDefinitions = { groupPriorityMinimum: 1000, versionPriority: 100 }

const servedVersions = (definitions: ReadonlyArray<CustomResourceDefinition>): ReadonlyArray<Version> => {
  const served = new Map<string, Version>()
  for (const { spec, status } of definitions) {
    const isEstablished = status?.conditions?.some(
      ({ type, status: state }) => type === "Established" && state === "True"
    )
    if (!isEstablished) continue
    for (const { name: version, served: isServed } of spec.versions ?? []) {
      if (isServed) served.set(`${version}.${spec.group}`, { group: spec.group, version, ...ofDefinitions })
    }
  }
  return [...served.values()]
}

/** Creates the APIServices of the versions that this server serves itself. Changes that clients make to them are kept. */
export const keepOwnVersions = (cluster: ClusterShape) =>
  Effect.forEach(
    ownVersions,
    (version) => keepObject(cluster, "APIService", apiServiceOf(version, "onstart"), (stored) => stored),
    { concurrency: "unbounded", discard: true }
  )

/** Creates the APIServices of the versions of custom resources, and deletes those of versions that are no longer served. */
export const keepDefinedVersions = Effect.fnUntraced(function* (cluster: ClusterShape) {
  const { items: definitions } = yield* cluster.list("CustomResourceDefinition")
  const versions = servedVersions(definitions)
  const names = new Set(versions.map(({ group, version }) => `${version}.${group}`))
  for (const version of versions) {
    yield* keepObject(cluster, "APIService", apiServiceOf(version, "true"), (stored) => stored)
  }
  const { items: services } = yield* cluster.list("APIService")
  for (const { metadata } of services) {
    const { labels, name = "" } = metadata
    if (labels?.[MANAGED] !== "true" || names.has(name)) continue
    yield* cluster.delete("APIService", { name }).pipe(Effect.catchIf(isNotFound, () => Effect.void))
  }
})
