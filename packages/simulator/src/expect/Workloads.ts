import type { Deployment, EndpointSlice, Pod, ReplicaSet, Service, StatefulSet } from "@rollcall/api"
import { makeTimeline, type Timeline } from "./Timeline.ts"

/** The availability of a Deployment, a StatefulSet, a ReplicaSet without an owner, or a Service. */
export interface Workload {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** Replicas that are Ready and not terminating; for a Service, the ready endpoints of its EndpointSlices. */
  readonly ready: Timeline<number>
  /** Wanted replicas; for a Service 1, because one ready endpoint serves its users. */
  readonly wanted: Timeline<number>
}

/** Counts the ready pods of each workload over time. */
export interface Workloads {
  /** Records a new or changed workload object. */
  readonly workload: (object: Deployment | ReplicaSet | StatefulSet, atMs: number) => void
  /** Records a new or changed Service. A Service without a selector is not tracked. */
  readonly service: (service: Service, atMs: number) => void
  readonly slice: (slice: EndpointSlice, isDeleted: boolean, atMs: number) => void
  /** Records a change of a pod: `previous` is undefined if it was created, `next` if it was deleted. */
  readonly pod: (previous: Pod | undefined, next: Pod | undefined, atMs: number) => void
  readonly all: () => ReadonlyArray<Workload>
  readonly find: (kind: string, namespace: string, name: string) => Workload | undefined
  /** Returns whether a workload exists but is not tracked, because its pods cannot be determined. */
  readonly isUnknown: (kind: string, namespace: string, name: string) => boolean
}

const isAvailable = (pod: Pod | undefined): boolean =>
  pod !== undefined &&
  pod.metadata.deletionTimestamp === undefined &&
  pod.status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") === true

const controllerOf = (object: Pod | ReplicaSet) =>
  object.metadata.ownerReferences?.find((reference) => reference.controller === true)

/** The ready endpoints of a Service by slice. A pod has one endpoint in each address family, and `ready` counts it once. */
class ServiceEndpoints {
  private readonly slices = new Map<string, { readonly family: string; readonly ready: number }>()

  set({ addressType, endpoints = [], metadata }: EndpointSlice, isDeleted: boolean): void {
    if (isDeleted) this.slices.delete(metadata.name ?? "")
    else {
      // An endpoint without a `ready` condition is ready.
      const ready = endpoints.filter(({ conditions }) => conditions?.ready !== false).length
      this.slices.set(metadata.name ?? "", { family: addressType, ready })
    }
  }

  get ready(): number {
    const byFamily = new Map<string, number>()
    for (const { family, ready } of this.slices.values()) byFamily.set(family, (byFamily.get(family) ?? 0) + ready)
    return Math.max(0, ...byFamily.values())
  }
}

const SERVICE_LABEL = "kubernetes.io/service-name"

export interface WorkloadsOptions {
  /** Workloads that are not tracked, because the owner of some of their pods is unknown: `Deployment/default/web`. */
  readonly unknown?: ReadonlySet<string>
  /** UIDs of owners that the snapshot lacks: a ReplicaSet of such an owner is a workload of its own. */
  readonly outside?: ReadonlySet<string>
}

const noNames: ReadonlySet<string> = new Set()

/** Makes an empty Workloads. Times are virtual milliseconds since the start. */
export const makeWorkloads = ({ outside = noNames, unknown = noNames }: WorkloadsOptions = {}): Workloads => {
  const endpoints = new Map<string, ServiceEndpoints>()
  const workloads = new Map<string, Workload>()
  /** The key of the Deployment of each ReplicaSet that has one: pods of the ReplicaSet count for the Deployment. */
  const deploymentOfReplicaSet = new Map<string, string>()
  const keyOf = (kind: string, namespace: string, name: string) => `${kind}/${namespace}/${name}`
  const workloadOf = (pod: Pod): Workload | undefined => {
    const owner = controllerOf(pod)
    if (owner === undefined) return undefined
    const key = keyOf(owner.kind, pod.metadata.namespace ?? "", owner.name)
    return workloads.get(deploymentOfReplicaSet.get(key) ?? key)
  }
  const getOrCreate = (kind: string, namespace: string, name: string): Workload => {
    const key = keyOf(kind, namespace, name)
    const workload = workloads.get(key) ?? { kind, namespace, name, ready: makeTimeline(0), wanted: makeTimeline(0) }
    workloads.set(key, workload)
    return workload
  }
  return {
    service: ({ metadata: { name = "", namespace = "" }, spec }, atMs) => {
      if (Object.keys(spec?.selector ?? {}).length > 0) getOrCreate("Service", namespace, name).wanted.set(atMs, 1)
    },
    slice: (slice, isDeleted, atMs) => {
      const { labels, namespace = "" } = slice.metadata
      const key = keyOf("Service", namespace, labels?.[SERVICE_LABEL] ?? "")
      const known = endpoints.get(key) ?? new ServiceEndpoints()
      endpoints.set(key, known)
      known.set(slice, isDeleted)
      workloads.get(key)?.ready.set(atMs, known.ready)
    },
    workload: (object, atMs) => {
      const namespace = object.metadata.namespace ?? ""
      const name = object.metadata.name ?? ""
      const kind = object.kind
      const key = keyOf(kind, namespace, name)
      const owner = kind === "ReplicaSet" ? controllerOf(object as ReplicaSet) : undefined
      if (unknown.has(key)) return
      if (owner !== undefined && !outside.has(owner.uid)) {
        deploymentOfReplicaSet.set(key, keyOf(owner.kind, namespace, owner.name))
        return
      }
      getOrCreate(kind, namespace, name).wanted.set(atMs, object.spec?.replicas ?? 1)
    },
    pod: (previous, next, atMs) => {
      const before = isAvailable(previous)
      const after = isAvailable(next)
      const pod = next ?? previous
      if (before === after || pod === undefined) return
      const workload = workloadOf(pod)
      workload?.ready.set(atMs, workload.ready.now() + (after ? 1 : -1))
    },
    all: () => [...workloads.values()],
    find: (kind, namespace, name) => workloads.get(keyOf(kind, namespace, name)),
    isUnknown: (kind, namespace, name) => unknown.has(keyOf(kind, namespace, name))
  }
}

/** The availability of a workload over a run. */
export interface Availability {
  /** The fewest ready replicas after all were ready for the first time; 0 if they never were. */
  readonly minReady: number
  /** Seconds, after all were ready for the first time, with fewer ready replicas than wanted. */
  readonly unavailableSeconds: number
  /** Present only if the replicas were never all ready at once: nothing was counted. */
  readonly neverAllReady?: true
  /** Virtual seconds. Present only if all replicas were ready for the first time later than `SETTLING_MS`. */
  readonly allReadyFrom?: number
}

/** A workload of the scenario is created at time 0 and all ready within this time; one of a snapshot may lack replicas for longer. */
const SETTLING_MS = 60_000

/** Returns the availability of a workload between the time when all its replicas were first ready and the end. */
export const availabilityOf = (workload: Workload, endMs: number): Availability => {
  const wanted = workload.wanted.changes()
  const wantedAt = (atMs: number) => wanted.findLast(([at]) => at <= atMs)?.[1] ?? 0
  const instants = [...new Set([...workload.ready.changes(), ...wanted].map(([at]) => at))]
    .filter((at) => at >= 0 && at <= endMs)
    .sort((a, b) => a - b)
  const ready = workload.ready.changes()
  let index = 0
  let wasAllReady = false
  let allReadyMs = 0
  let minReady = Number.POSITIVE_INFINITY
  let unavailableMs = 0
  for (const [position, at] of instants.entries()) {
    while ((ready[index + 1]?.[0] ?? Number.POSITIVE_INFINITY) <= at) index++
    const now = ready[index]?.[1] ?? 0
    const want = wantedAt(at)
    if (!wasAllReady && want > 0 && now >= want) {
      wasAllReady = true
      allReadyMs = at
    }
    if (!wasAllReady) continue
    minReady = Math.min(minReady, now)
    if (now < want) unavailableMs += (instants[position + 1] ?? endMs) - at
  }
  return {
    minReady: Number.isFinite(minReady) ? minReady : 0,
    unavailableSeconds: Math.round(unavailableMs) / 1000,
    ...(allReadyMs > SETTLING_MS ? { allReadyFrom: allReadyMs / 1000 } : {}),
    ...(wasAllReady || wanted.every(([, want]) => want === 0) ? {} : { neverAllReady: true as const })
  }
}
