import {
  getControllerOf,
  keyOf,
  matchesLabelSelector,
  type Pod,
  type StatefulSet,
  type StatefulSetStatus
} from "@rollcall/api"
import {
  type ClusterError,
  type ClusterShape,
  defaultRetry,
  type EventRecorder,
  type Informer,
  retryOnConflict,
  type WorkQueue
} from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { claimPods } from "../claims.ts"
import type { ConsistencyStore } from "../consistency/ConsistencyStore.ts"
import type { History } from "../history/History.ts"
import { revisionHash } from "../history/revisionHash.ts"
import { revisionsBeyondHistory, templateOf } from "../history/revisions.ts"
import { readySince } from "../podState.ts"
import { sameFields } from "../sameFields.ts"
import { publishUpdateBudget } from "./metrics.ts"
import { type StatefulAction, statefulSetPlan, withUpdateCompleted } from "./plan.ts"
import { StatefulPodControl } from "./StatefulPodControl.ts"
import { isMember, revisionOf } from "./statefulPods.ts"

/** What the controller needs. */
export interface StatefulSetParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly history: History
  readonly statefulSets: Informer<"StatefulSet">
  /** With the indexes `owner` (UID of the StatefulSet) and `orphans` (namespace). */
  readonly pods: Informer<"Pod">
  /** Upstream: the gate MaxUnavailableStatefulSet. */
  readonly supportsMaxUnavailable: boolean
  readonly claims: Informer<"PersistentVolumeClaim">
  /** Records what is written to claims. */
  readonly consistency: ConsistencyStore
  readonly queue: WorkQueue<string>
}

/** The value of the index `owner`: the UID of the StatefulSet that controls the pod; undefined if none does. */
export const statefulOwner = (pod: Pod): string | undefined => {
  const owner = getControllerOf(pod)
  return owner?.kind === "StatefulSet" ? owner.uid : undefined
}

type ActionError = Effect.Error<ReturnType<StatefulPodControl["restore"]>>

/** Upstream: pkg/controller/history ControllerRevisionHashLabel. */
const HASH_LABEL = "controller.kubernetes.io/hash"

/**
 * Runs the pods of StatefulSets: each with its own name, ordinal and claims.
 * Upstream: pkg/controller/statefulset/stateful_set.go, stateful_pod_control.go.
 */
export class StatefulSets {
  private readonly parts: StatefulSetParts
  private readonly control: StatefulPodControl

  constructor(parts: StatefulSetParts) {
    this.parts = parts
    this.control = new StatefulPodControl(parts)
  }

  /**
   * Syncs the set of a pod that was added, changed or deleted; for an orphan, the set whose name its own name contains.
   */
  enqueueSetOf(pod: Pod): void {
    const { queue, statefulSets } = this.parts
    const owner = getControllerOf(pod)
    const namespace = pod.metadata.namespace ?? ""
    if (owner !== undefined) {
      if (owner.kind === "StatefulSet") queue.add(`${namespace}/${owner.name}`)
      return
    }
    if (pod.metadata.deletionTimestamp !== undefined) return
    const name = pod.metadata.name?.replace(/-[0-9]+$/, "") ?? ""
    if (statefulSets.find(name, namespace) !== undefined) queue.add(`${namespace}/${name}`)
  }

  readonly sync = Effect.fnUntraced({ self: this }, function* (this: StatefulSets, key: string) {
    const { history, statefulSets, timers } = this.parts
    const set = statefulSets.get(key)
    if (set === undefined) return
    const pods = yield* this.claim(set)
    const { template } = set.spec
    const {
      collisionCount,
      known,
      revision: update
    } = yield* history.current({
      owner: set,
      template,
      selector: set.spec.selector,
      hashLabel: HASH_LABEL,
      hash: revisionHash,
      collisionCount: set.status?.collisionCount ?? 0
    })
    const before = known.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update
    const revisions = { current: before.metadata.name ?? "", update: update.metadata.name ?? "" }
    const plan = statefulSetPlan(set, revisions, pods, timers.now(), {
      claims: this.control.claimViewOf(set),
      collisions: collisionCount,
      supportsMaxUnavailable: this.parts.supportsMaxUnavailable
    })
    // The set with the template of its current revision.
    const currentSet: StatefulSet = { ...set, spec: { ...set.spec, template: templateOf(before) ?? template } }
    const act = (action: StatefulAction) =>
      this.act(action.do === "create" && action.revision === revisions.current ? currentSet : set, action)
    const outcome = yield* Effect.exit(
      plan.oneByOne ? Effect.forEach(plan.actions, act, { discard: true }) : inBatches(plan.actions, act)
    )
    if (plan.update !== undefined) yield* publishUpdateBudget(set, plan.update)
    yield* this.writeStatus(set, plan.status)
    yield* outcome
    const isLive = ({ metadata: { name = "" } }: { readonly metadata: { readonly name?: string } }) =>
      name === revisions.current || name === revisions.update || pods.some((pod) => revisionOf(pod) === name)
    yield* history.remove(revisionsBeyondHistory(known, isLive, set.spec.revisionHistoryLimit))
    this.planAvailability(set, pods)
  })

  private claim(set: StatefulSet): Effect.Effect<ReadonlyArray<Pod>, ClusterError> {
    const { cluster, pods } = this.parts
    return claimPods(cluster, {
      owner: set,
      owned: pods.byIndex("owner", set.metadata.uid ?? ""),
      orphans: pods.byIndex("orphans", set.metadata.namespace ?? ""),
      belongs: (pod) => matchesLabelSelector(set.spec.selector, pod.metadata.labels) && isMember(set, pod)
    })
  }

  private act(set: StatefulSet, action: StatefulAction): Effect.Effect<void, ActionError> {
    switch (action.do) {
      case "create":
        return this.control.create(set, action.ordinal, action.revision)
      case "claim":
        return this.control.completeClaims(set, action.pod)
      case "delete":
        return this.control.remove(set, action.pod)
      case "restore":
        return this.control.restore(set, action.pod)
      case "set claim owners":
        return this.control.updateClaimOwners(set, action.pod)
    }
  }

  /**
   * Writes the status, if it has changed; after a conflict on the cached set. Upstream: UpdateStatefulSetStatus.
   */
  private writeStatus(set: StatefulSet, planned: StatefulSetStatus): Effect.Effect<void, ClusterError> {
    const { conditions } = set.status ?? {}
    const status = { ...withUpdateCompleted(set, planned), ...(conditions === undefined ? {} : { conditions }) }
    if (set.status !== undefined && sameFields(set.status, status)) return Effect.void
    const { cluster, statefulSets } = this.parts
    const write = retryOnConflict(defaultRetry, (before) => {
      const current = before === 0 ? set : (statefulSets.get(keyOf(set)) ?? set)
      return cluster.updateStatus("StatefulSet", { ...current, status })
    })
    return Effect.asVoid(write)
  }

  /** Plans the next sync for when a pod becomes available: with minReadySeconds, that is not an event. */
  private planAvailability(set: StatefulSet, pods: ReadonlyArray<Pod>): void {
    const minReadyMs = (set.spec.minReadySeconds ?? 0) * 1000
    if (minReadyMs === 0) return
    const now = this.parts.timers.now()
    let next = Number.POSITIVE_INFINITY
    for (const pod of pods) {
      const left = readySince(pod) + minReadyMs - now
      if (left >= 0) next = Math.min(next, left)
    }
    if (Number.isFinite(next)) this.parts.queue.addAfter(keyOf(set), next + 1)
  }
}

/** Upstream: MaxBatchSize. */
const MAX_BATCH_SIZE = 500

/** Runs the actions in batches of 1, 2, 4, …, each in parallel; ends after a batch with an error. */
const inBatches = <A, E>(
  items: ReadonlyArray<A>,
  act: (item: A) => Effect.Effect<void, E>,
  size = 1
): Effect.Effect<void, E> =>
  items.length === 0
    ? Effect.void
    : Effect.forEach(items.slice(0, size), act, { concurrency: "unbounded", discard: true }).pipe(
        Effect.andThen(Effect.suspend(() => inBatches(items.slice(size), act, Math.min(size * 2, MAX_BATCH_SIZE))))
      )
