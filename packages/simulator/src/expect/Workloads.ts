import type { Deployment, Pod, ReplicaSet } from "@rollcall/api"
import { makeTimeline, type Timeline } from "./Timeline.ts"

/** A Deployment, or a ReplicaSet that nothing owns, as its users feel it. */
export interface Workload {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** Replicas that are Ready and not on their way out. */
  readonly ready: Timeline<number>
  readonly wanted: Timeline<number>
}

/** Follows how many pods of each workload are ready. */
export interface Workloads {
  readonly workload: (object: Deployment | ReplicaSet, atMs: number) => void
  readonly pod: (previous: Pod | undefined, next: Pod | undefined, atMs: number) => void
  readonly all: () => ReadonlyArray<Workload>
  readonly find: (kind: string, namespace: string, name: string) => Workload | undefined
}

const counts = (pod: Pod | undefined): boolean =>
  pod !== undefined &&
  pod.metadata.deletionTimestamp === undefined &&
  pod.status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") === true

const controllerOf = (object: Pod | ReplicaSet) =>
  object.metadata.ownerReferences?.find((reference) => reference.controller === true)

export const makeWorkloads = (): Workloads => {
  const workloads = new Map<string, Workload>()
  const deploymentOfSet = new Map<string, string>()
  const keyOf = (kind: string, namespace: string, name: string) => `${kind}/${namespace}/${name}`
  const workloadOf = (pod: Pod): Workload | undefined => {
    const owner = controllerOf(pod)
    if (owner === undefined) return undefined
    const key = keyOf(owner.kind, pod.metadata.namespace ?? "", owner.name)
    return workloads.get(deploymentOfSet.get(key) ?? key)
  }
  return {
    workload: (object, atMs) => {
      const namespace = object.metadata.namespace ?? ""
      const name = object.metadata.name ?? ""
      const kind = object.kind
      const key = keyOf(kind, namespace, name)
      const owner = kind === "ReplicaSet" ? controllerOf(object as ReplicaSet) : undefined
      if (owner !== undefined) {
        deploymentOfSet.set(key, keyOf(owner.kind, namespace, owner.name))
        return
      }
      let workload = workloads.get(key)
      if (workload === undefined) {
        workload = { kind, namespace, name, ready: makeTimeline(0), wanted: makeTimeline(0) }
        workloads.set(key, workload)
      }
      workload.wanted.set(atMs, object.spec?.replicas ?? 1)
    },
    pod: (previous, next, atMs) => {
      const before = counts(previous)
      const after = counts(next)
      const pod = next ?? previous
      if (before === after || pod === undefined) return
      const workload = workloadOf(pod)
      workload?.ready.set(atMs, workload.ready.now() + (after ? 1 : -1))
    },
    all: () => [...workloads.values()],
    find: (kind, namespace, name) => workloads.get(keyOf(kind, namespace, name))
  }
}

export interface Availability {
  /** The fewest ready replicas after all were ready for the first time; 0 when they never were. */
  readonly minReady: number
  /** Seconds, after all were ready for the first time, with fewer ready replicas than wanted. */
  readonly unavailableSeconds: number
}

/** What became of a workload between its first full readiness and the end. */
export const availabilityOf = (workload: Workload, endMs: number): Availability => {
  const wanted = workload.wanted.changes()
  const wantedAt = (atMs: number) => wanted.findLast(([at]) => at <= atMs)?.[1] ?? 0
  const instants = [...new Set([...workload.ready.changes(), ...wanted].map(([at]) => at))]
    .filter((at) => at >= 0 && at <= endMs)
    .sort((a, b) => a - b)
  const ready = workload.ready.changes()
  let index = 0
  let full = false
  let minReady = Number.POSITIVE_INFINITY
  let unavailableMs = 0
  for (const [position, at] of instants.entries()) {
    while ((ready[index + 1]?.[0] ?? Number.POSITIVE_INFINITY) <= at) index++
    const now = ready[index]?.[1] ?? 0
    const want = wantedAt(at)
    if (!full) full = want > 0 && now >= want
    if (!full) continue
    minReady = Math.min(minReady, now)
    if (now < want) unavailableMs += (instants[position + 1] ?? endMs) - at
  }
  return {
    minReady: Number.isFinite(minReady) ? minReady : 0,
    unavailableSeconds: Math.round(unavailableMs) / 1000
  }
}
