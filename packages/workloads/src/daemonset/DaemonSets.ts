import {
  annotationTemplateGeneration,
  type DaemonSet,
  type DaemonSetStatus,
  getControllerOf,
  isPodReady,
  keyOf,
  matchesLabelSelector,
  type Node,
  type Pod,
  type Release
} from "@rollcall/api"
import {
  type ClusterError,
  type ClusterShape,
  type EventRecorder,
  type Informer,
  isNotFound,
  type WorkQueue
} from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { claimPods } from "../claims.ts"
import { Expectations } from "../Expectations.ts"
import type { History } from "../history/History.ts"
import { daemonRevisionsBeyondHistory, labelRevision } from "../history/revisions.ts"
import { inParallel } from "../Requests.ts"
import { PodControl } from "../replicaset/PodControl.ts"
import { sameFields } from "../sameFields.ts"
import { slowStart } from "../slowStart.ts"
import { daemonEligibilities } from "./daemonPods.ts"
import { FailedPodBackoff } from "./FailedPodBackoff.ts"
import { type DaemonRevision, daemonTemplate, targetNodeOf } from "./placement.ts"
import { type DaemonChanges, type DaemonInput, type DaemonPlan, daemonPlan, podsByNode } from "./plan.ts"
import { daemonRollingUpdate } from "./rollingUpdate.ts"
import { daemonSetStatus } from "./status.ts"

/** What the controller needs. */
export interface DaemonSetParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly history: History
  readonly daemonSets: Informer<"DaemonSet">
  readonly nodes: Informer<"Node">
  /** Has the indexes `owner` (UID of the DaemonSet) and `orphans` (namespace). */
  readonly pods: Informer<"Pod">
  readonly queue: WorkQueue<string>
  /** Who assigns pods to nodes: the scheduler or this controller. */
  readonly placement: Release["daemonSetPods"]
}

/** The value of the index `owner`: the UID of the DaemonSet that controls the pod; undefined if none does. */
export const daemonOwner = (pod: Pod): string | undefined => {
  const owner = getControllerOf(pod)
  return owner?.kind === "DaemonSet" ? owner.uid : undefined
}

/** The limit on creations, and on deletions, in one sync. Upstream: BurstReplicas. */
const BURST = 250

/**
 * Runs one pod of each DaemonSet on every eligible node. Pods have a node affinity for their node and the scheduler
 * binds them (in early releases: they are created with nodeName); a terminating pod keeps its node until it is
 * deleted, unless the set may surge. Upstream: pkg/controller/daemon/daemon_controller.go.
 */
export class DaemonSets {
  private readonly parts: DaemonSetParts
  private readonly control: PodControl
  private readonly expectations = new Expectations()
  private readonly backoff = new FailedPodBackoff()

  constructor(parts: DaemonSetParts) {
    this.parts = parts
    this.control = new PodControl(parts.cluster.connection, parts.recorder)
  }

  /** Must be called when a pod was added. */
  podAdded(pod: Pod): void {
    const key = daemonSetKeyOf(pod)
    if (key === undefined) this.queueAdopters(pod)
    else if (pod.metadata.deletionTimestamp !== undefined) this.podDeleted(pod)
    else {
      this.expectations.creationObserved(key)
      this.parts.queue.add(key)
    }
  }

  /** Must be called when a pod was changed. */
  podChanged(before: Pod, pod: Pod): void {
    const key = daemonSetKeyOf(pod)
    const previous = daemonSetKeyOf(before)
    if (previous !== undefined && previous !== key) this.parts.queue.add(previous)
    if (key === undefined) {
      if (previous !== undefined || before.metadata.labels !== pod.metadata.labels) this.queueAdopters(pod)
    } else if (pod.metadata.deletionTimestamp !== undefined) this.podDeleted(pod)
    else {
      this.parts.queue.add(key)
      const { minReadySeconds = 0 } = this.parts.daemonSets.get(key)?.spec ?? {}
      const becomesAvailable = minReadySeconds > 0 && !isPodReady(before) && isPodReady(pod)
      if (becomesAvailable) this.parts.queue.addAfter(key, (minReadySeconds + 1) * 1000)
    }
  }

  /** Must be called when a pod was deleted, or is terminating. */
  podDeleted(pod: Pod): void {
    const key = daemonSetKeyOf(pod)
    if (key === undefined) return
    this.expectations.deletionObserved(key, pod.metadata.uid ?? "")
    this.parts.queue.add(key)
  }

  /** Queues the sets that may now run on a node on which they could not before, or the reverse. */
  nodeChanged(before: Node | undefined, node: Node): void {
    for (const set of this.parts.daemonSets.list()) {
      const eligibilityOf = daemonEligibilities(set)
      const { shouldContinueRunning, shouldRun } = eligibilityOf(node)
      const previous = before === undefined ? undefined : eligibilityOf(before)
      const isAffected =
        previous === undefined
          ? shouldRun
          : previous.shouldRun !== shouldRun || previous.shouldContinueRunning !== shouldContinueRunning
      if (isAffected) this.parts.queue.add(keyOf(set))
    }
  }

  /** Queues the sets that select a pod without a controller, so that one of them adopts it. */
  private queueAdopters(pod: Pod): void {
    if (getControllerOf(pod) !== undefined) return
    for (const set of this.parts.daemonSets.list()) {
      if (set.metadata.namespace !== pod.metadata.namespace) continue
      if (matchesLabelSelector(set.spec.selector, pod.metadata.labels)) this.parts.queue.add(keyOf(set))
    }
  }

  readonly sync = (key: string) => this.expectations.runSync(key, this.syncOnce(key))

  private readonly syncOnce = Effect.fnUntraced({ self: this }, function* (this: DaemonSets, key: string) {
    const { cluster, daemonSets, history, nodes, pods, timers } = this.parts
    const set = daemonSets.get(key)
    if (set === undefined) return this.expectations.forget(key)
    if (set.metadata.deletionTimestamp !== undefined) return
    const { collisionCount, revision: current } = yield* history.current({
      owner: set,
      template: set.spec.template,
      selector: set.spec.selector,
      hashLabel: labelRevision,
      collisionCount: set.status?.collisionCount ?? 0
    })
    const revision = {
      hash: current.metadata.labels?.[labelRevision] ?? "",
      generation: set.metadata.annotations?.[annotationTemplateGeneration]
    }
    const mayAct = this.expectations.satisfied(key, timers.now())
    const uid = set.metadata.uid ?? ""
    const belongs = ({ metadata }: Pod) => matchesLabelSelector(set.spec.selector, metadata.labels)
    const orphans = pods.byIndex("orphans", set.metadata.namespace ?? "")
    const claimed = yield* claimPods(cluster, { owner: set, owned: pods.byIndex("owner", uid), orphans, belongs })
    const input: DaemonInput = {
      set,
      nodes: nodes.list(),
      eligibilityOf: daemonEligibilities(set),
      pods: podsByNode(claimed, targetNodeOf),
      hash: revision.hash,
      nowMs: timers.now()
    }
    const inputNow = (): DaemonInput => ({
      ...input,
      pods: podsByNode(pods.byIndex("owner", uid).filter(belongs), targetNodeOf),
      nowMs: timers.now()
    })
    const outcome = mayAct ? yield* Effect.exit(this.managePods(input, inputNow, revision)) : undefined
    yield* this.updateStatus(inputNow(), collisionCount, mayAct)
    if (outcome === undefined) return
    yield* outcome
    const limit = set.spec.revisionHistoryLimit
    yield* history.remove(daemonRevisionsBeyondHistory(history.revisionsOf(set), current, claimed, limit))
  })

  /** Creates missing pods and deletes surplus ones. If there are none, it continues the rolling update. */
  private readonly managePods = Effect.fnUntraced(
    { self: this },
    function* (this: DaemonSets, input: DaemonInput, inputNow: () => DaemonInput, revision: DaemonRevision) {
      const key = keyOf(input.set)
      const plan = daemonPlan(input, (node) => this.mayRemoveFailed(key, input, node))
      this.recordEndedPods(input.set, plan)
      yield* this.createAndDelete(key, input.set, plan, revision)
      const isOnDelete = input.set.spec.updateStrategy?.type === "OnDelete"
      if (isOnDelete || !this.expectations.satisfied(key, this.parts.timers.now())) return
      yield* this.createAndDelete(key, input.set, daemonRollingUpdate(inputNow()), revision)
    }
  )

  /**
   * Whether a failed pod may be deleted now; if not, the set is synced again after the backoff. Upstream:
   * failedPodsBackoffKey.
   */
  private mayRemoveFailed(key: string, { nowMs, set }: DaemonInput, node: string): boolean {
    const backoffKey = `${set.metadata.uid}/${set.status?.observedGeneration ?? 0}/${node}`
    const delayMs = this.backoff.delayOf(backoffKey, nowMs)
    if (delayMs === undefined) this.backoff.recordDeletion(backoffKey, nowMs)
    else this.parts.queue.addAfter(key, delayMs)
    return delayMs === undefined
  }

  /** Records an Event for each terminated pod that is about to be deleted. */
  private recordEndedPods(set: DaemonSet, { ended }: DaemonPlan): void {
    for (const { node, pod } of ended) {
      const failed = pod.status?.phase === "Failed"
      const podText = `daemon pod ${pod.metadata.namespace}/${pod.metadata.name} on node ${node}`
      const text = `Found ${failed ? "failed" : "succeeded"} ${podText}, will try to ${failed ? "kill" : "delete"} it`
      const reason = failed ? "FailedDaemonPod" : "SucceededDaemonPod"
      this.parts.recorder.event(set, failed ? "Warning" : "Normal", reason, text)
    }
  }

  /** Creates pods in batches of 1, 2, 4, …, then deletes others. Upstream: syncNodes. */
  private readonly createAndDelete = Effect.fnUntraced(
    { self: this },
    function* (this: DaemonSets, key: string, set: DaemonSet, changes: DaemonChanges, revision: DaemonRevision) {
      const create = changes.create.slice(0, BURST)
      const remove = changes.remove.slice(0, BURST)
      if (create.length === 0 && remove.length === 0) return
      const uids = remove.map(({ metadata }) => metadata.uid ?? "")
      this.expectations.expect(key, create.length, uids, this.parts.timers.now())
      const creation = yield* Effect.exit(this.createOn(key, set, create, revision))
      yield* this.removeAll(key, set, remove)
      yield* creation
    }
  )

  /** Creates one pod for each node; ends when all requests were answered. */
  private createOn(
    key: string,
    set: DaemonSet,
    nodes: ReadonlyArray<string>,
    revision: DaemonRevision
  ): Effect.Effect<void, ClusterError> {
    return Effect.callback<void, ClusterError>((resume) => {
      let next = 0
      slowStart<ClusterError>(
        nodes.length,
        (answered) => {
          const template = daemonTemplate(set.spec.template, nodes[next++] ?? "", revision, this.parts.placement)
          this.control.create(set, template, answered)
        },
        ({ error, skipped }) => {
          this.expectations.creationObserved(key, skipped)
          resume(error === undefined ? Effect.void : Effect.fail(error))
        }
      )
    })
  }

  /** Deletes pods; a pod that no longer exists is no error. */
  private removeAll(key: string, set: DaemonSet, pods: ReadonlyArray<Pod>): Effect.Effect<void, ClusterError> {
    return Effect.callback<void, ClusterError>((resume) =>
      inParallel(
        pods,
        (pod, answered) =>
          this.control.delete(set, pod, (error) => {
            if (error !== undefined) this.expectations.deletionObserved(key, pod.metadata.uid ?? "")
            answered(error !== undefined && isNotFound(error) ? undefined : error)
          }),
        (error) => resume(error === undefined ? Effect.void : Effect.fail(error))
      )
    )
  }

  /** Writes the status; after a failure it tries once more, on the current version. Upstream: storeDaemonSetStatus. */
  private writeStatus(set: DaemonSet, status: DaemonSetStatus): Effect.Effect<unknown, ClusterError> {
    const { cluster } = this.parts
    const { name = "", namespace } = set.metadata
    return Effect.catch(cluster.updateStatus("DaemonSet", { ...set, status }), () =>
      Effect.flatMap(cluster.get("DaemonSet", { namespace, name }), (current) =>
        cluster.updateStatus("DaemonSet", { ...current, status })
      )
    )
  }

  /** Writes the status if it differs. `observed` says whether the set's pods were managed in this sync. */
  private readonly updateStatus = Effect.fnUntraced(
    { self: this },
    function* (this: DaemonSets, input: DaemonInput, collisionCount: number, observed: boolean) {
      const { set } = input
      const status = daemonSetStatus(input, collisionCount, observed)
      if (set.status === undefined || !sameFields(set.status, status)) yield* this.writeStatus(set, status)
      const { minReadySeconds = 0 } = set.spec
      if (minReadySeconds > 0 && status.numberReady !== (status.numberAvailable ?? 0))
        this.parts.queue.addAfter(keyOf(set), minReadySeconds * 1000 + 1)
    }
  )
}

/** The key of the DaemonSet that controls the pod; undefined if none does. */
export const daemonSetKeyOf = (pod: Pod): string | undefined => {
  const owner = getControllerOf(pod)
  return owner?.kind === "DaemonSet" ? keyOf({ metadata: { ...pod.metadata, name: owner.name } }) : undefined
}
