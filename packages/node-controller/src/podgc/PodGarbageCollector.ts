import { currentGates, formatTime, type Pod } from "@rollcall/api"
import { Cluster, forkController, type Informer, isNotFound, keyOf } from "@rollcall/cluster"
import { contained, repeatPasses, Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { byNodeName, ControllerInformers } from "../ControllerInformers.ts"
import { logFailure } from "../failureLog.ts"
import { Observer } from "../Observer.ts"
import {
  failedPatch,
  isTerminated,
  isTerminating,
  type PodGcReason,
  type PodGcSettings,
  podGcSettings,
  podsOutOfService,
  podsUnscheduled,
  Quarantine,
  terminatedSurplus
} from "./PodGc.ts"

const forcedDeletions = Metric.counter("pod_gc_collector_force_delete_pods_total", {
  description: "[ALPHA] Number of pods that are being forcefully deleted since the Pod GC Controller started.",
  incremental: true
})
const forcedDeletionErrors = Metric.counter("pod_gc_collector_force_delete_pod_errors_total", {
  description:
    "[ALPHA] Number of errors encountered when forcefully deleting the pods since the Pod GC Controller started.",
  incremental: true
})

/** Each returns the Effect that adds one to its counter. */
const forceDeleted = (namespace: string, reason: string) =>
  Metric.update(Metric.withAttributes(forcedDeletions, { namespace, reason }), 1)
const forceDeleteFailed = (namespace: string, reason: string) =>
  Metric.update(Metric.withAttributes(forcedDeletionErrors, { namespace, reason }), 1)

export interface PodGarbageCollectorShape {
  /** Deletions attempted since the start, by namespace and reason; includes failed ones. */
  readonly forceDeleted: () => ReadonlyMap<string, number>
  /** Runs one collection, for callers with their own clock. */
  readonly collect: Effect.Effect<void>
}

/** Puts a pod into the map, or removes it, by whether its versions are members. A deleted one may have changed once more. */
const updateMembership = (
  members: Map<string, Pod>,
  isMember: (pod: Pod) => boolean,
  old: Pod | undefined,
  pod: Pod | undefined
): void => {
  if (pod !== undefined && isMember(pod)) members.set(keyOf(pod), pod)
  else if (old !== undefined && (pod === undefined || isMember(old))) members.delete(keyOf(old))
}

/** Pods that a collection may concern, maintained incrementally: most pods never do. */
class Candidates {
  readonly terminated = new Map<string, Pod>()
  readonly terminating = new Map<string, Pod>()
  private readonly podsPerNode = new Map<string, number>()
  /** The names of nodes, followed here: reading a Node would make it from its column. */
  private readonly nodeNames = new Set<string>()
  /** Those in `podsPerNode` that are no node's. */
  private readonly missing = new Set<string>()

  private update(old: Pod | undefined, pod: Pod | undefined): void {
    const from = old?.spec.nodeName ?? ""
    const to = pod?.spec.nodeName ?? ""
    if (from !== to) {
      this.countOn(from, -1)
      this.countOn(to, 1)
    }
    updateMembership(this.terminated, isTerminated, old, pod)
    updateMembership(this.terminating, isTerminating, old, pod)
  }

  /** Follows the changes of both kinds; returns a function that ends that. */
  follow(nodes: Informer<"Node">, pods: Informer<"Pod">): () => void {
    const removers = [
      nodes.addHandler({
        onAdd: ({ metadata: { name = "" } }) => {
          this.nodeNames.add(name)
          this.missing.delete(name)
        },
        onDelete: ({ metadata: { name = "" } }) => {
          this.nodeNames.delete(name)
          if (this.podsPerNode.has(name)) this.missing.add(name)
        }
      }),
      pods.addHandler({
        onAdd: (pod) => this.update(undefined, pod),
        onUpdate: (old, pod) => this.update(old, pod),
        onDelete: (pod) => this.update(pod, undefined)
      })
    ]
    return () => {
      for (const remove of removers) remove()
    }
  }

  /** Returns the sorted names of nodes that pods are bound to and that do not exist. */
  missingNodes(): ReadonlyArray<string> {
    return [...this.missing].sort()
  }

  private countOn(node: string, change: number): void {
    if (node === "") return
    const count = (this.podsPerNode.get(node) ?? 0) + change
    if (count === 0) {
      this.podsPerNode.delete(node)
      this.missing.delete(node)
      return
    }
    this.podsPerNode.set(node, count)
    if (!this.nodeNames.has(node)) this.missing.add(node)
  }
}

const byKey = (left: Pod, right: Pod): number => (keyOf(left) < keyOf(right) ? -1 : 1)

/** The log messages of failed deletions. Upstream: pkg/controller/podgc/gc_controller.go. */
const failureMessages: Readonly<Record<PodGcReason, string>> = {
  terminated: "Failed to delete terminated pod",
  "out-of-service": "Failed to delete terminating pod on out-of-service node",
  orphaned: "Failed to delete orphaned pod",
  unscheduled: "Failed to delete unscheduled terminating pod"
}

const make = Effect.fnUntraced(function* (
  settings: PodGcSettings
): Effect.fn.Return<PodGarbageCollectorShape, never, Cluster | Timers | ControllerInformers | Scope.Scope> {
  const timers = yield* Timers
  const cluster = yield* Cluster
  const { nodes, pods } = yield* ControllerInformers
  const observer = yield* Observer
  const candidates = new Candidates()
  const quarantine = new Quarantine(settings.quarantineMs)
  const counts = new Map<string, number>()

  yield* Effect.acquireRelease(
    Effect.sync(() => candidates.follow(nodes, pods)),
    (unfollow) => Effect.sync(unfollow)
  )

  const remove = Effect.fnUntraced(function* (pod: Pod, reason: PodGcReason) {
    const { name = "", namespace = "" } = pod.metadata
    const label = `${namespace}/${reason}`
    counts.set(label, (counts.get(label) ?? 0) + 1)
    yield* forceDeleted(namespace, reason)
    observer.podCollected({ namespace, pod: name, reason })
    const body = failedPatch(pod, reason, formatTime(timers.now()), settings.disruptionTarget)
    const setFailedPhase =
      body === undefined
        ? Effect.void
        : cluster.patch("Pod", { namespace, name }, "strategic", body, { subresource: "status" })
    const deleted = yield* Effect.result(
      Effect.andThen(setFailedPhase, cluster.delete("Pod", { namespace, name }, { gracePeriodSeconds: 0 }))
    )
    if (Result.isSuccess(deleted)) return
    yield* forceDeleteFailed(namespace, reason)
    yield* logFailure(failureMessages[reason], deleted.failure.message, { pod: `${namespace}/${name}` })
  })

  const removeAll = (podsToDelete: ReadonlyArray<Pod>, reason: PodGcReason, concurrency: number | "unbounded") =>
    Effect.forEach(
      podsToDelete,
      (pod) => contained(timers, "pod garbage collection", remove(pod, reason), { pod: keyOf(pod) }),
      { concurrency, discard: true }
    )

  /** The names among those due in this collection of nodes that neither the cache nor the API has. */
  const findMissingNodes = Effect.fnUntraced(function* (dueNames: ReadonlyArray<string>) {
    const names = new Set<string>()
    for (const name of dueNames) {
      if (nodes.find(name) !== undefined) continue
      const found = yield* Effect.result(cluster.get("Node", { name }))
      // The node exists, or a failure leaves that open: the next collection queues a missing node again.
      if (Result.isSuccess(found)) continue
      if (isNotFound(found.failure)) names.add(name)
      else yield* logFailure("Failed to get node", found.failure.message, { node: name })
    }
    return names
  })

  const collect = Effect.suspend(() => {
    const terminating = [...candidates.terminating.values()]
    const surplus = terminatedSurplus([...candidates.terminated.values()], settings.terminatedPodGCThreshold)
    const outOfService = settings.outOfService ? podsOutOfService(terminating, (name) => nodes.find(name)) : []
    const missing = candidates.missingNodes()
    const orphans = missing.flatMap((name) => pods.byIndex(byNodeName, name))
    const dueNames = quarantine.addAndTakeDue(missing, timers.now())
    const unscheduled = podsUnscheduled(terminating).toSorted(byKey)
    // Each part uses the pods from the start of the collection; one that an earlier part deleted gives a 404.
    return removeAll(surplus, "terminated", "unbounded").pipe(
      Effect.andThen(removeAll(outOfService, "out-of-service", "unbounded")),
      Effect.andThen(findMissingNodes(dueNames)),
      Effect.flatMap((names) => {
        const podsToDelete = orphans.filter((pod) => names.has(pod.spec.nodeName ?? "")).sort(byKey)
        return removeAll(podsToDelete, "orphaned", 1)
      }),
      Effect.andThen(removeAll(unscheduled, "unscheduled", 1))
    )
  })
  return { forceDeleted: () => counts, collect }
})

/**
 * Deletes pods that nothing else deletes: terminated ones beyond the threshold, terminating ones on out-of-service
 * nodes or never bound, and those of nodes that no longer exist. Upstream: pkg/controller/podgc/gc_controller.go.
 */
export class PodGarbageCollector extends Context.Service<PodGarbageCollector, PodGarbageCollectorShape>()(
  "@rollcall/node-controller/PodGarbageCollector"
) {
  /** Makes the collector without starting it: it collects on request. */
  static readonly make = (settings: Partial<PodGcSettings> = {}) =>
    Effect.flatMap(currentGates, (gates) => make(podGcSettings(settings, gates)))

  /** Collects every 20 s while its scope is open; a new collector has an empty quarantine. */
  static readonly layer = (
    settings: Partial<PodGcSettings> = {}
  ): Layer.Layer<PodGarbageCollector, never, Cluster | Timers | ControllerInformers> =>
    Layer.effect(
      PodGarbageCollector,
      Effect.gen(function* () {
        const resolved = podGcSettings(settings, yield* currentGates)
        const { synced } = yield* ControllerInformers
        const collector = yield* make(resolved)
        yield* synced.pipe(
          Effect.andThen(repeatPasses(yield* Timers, "pod garbage collection", collector.collect, resolved.periodMs)),
          forkController("pod-garbage-collector-controller")
        )
        return collector
      })
    )
}
