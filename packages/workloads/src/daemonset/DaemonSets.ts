import {
  type ControllerRevision,
  type DaemonSet,
  getControllerOf,
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
import { labelRevision, revisionsBeyondHistory } from "../history/revisions.ts"
import { inParallel } from "../Requests.ts"
import { PodControl } from "../replicaset/PodControl.ts"
import { sameFields } from "../sameFields.ts"
import { slowStart } from "../slowStart.ts"
import { daemonEligibilities } from "./daemonPods.ts"
import { FailedPodBackoff } from "./FailedPodBackoff.ts"
import { type DaemonRevision, daemonTemplate, targetNodeOf } from "./placement.ts"
import { type DaemonInput, type DaemonMoves, type DaemonPlan, daemonPlan, podsByNode } from "./plan.ts"
import { daemonRollingUpdate } from "./rollingUpdate.ts"
import { daemonSetStatus } from "./status.ts"

export interface DaemonSetParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly history: History
  readonly daemonSets: Informer<"DaemonSet">
  readonly nodes: Informer<"Node">
  /** With the indexes `owner` (UID of the DaemonSet) and `orphans` (namespace). */
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
    if (key === undefined) this.offer(pod)
    else if (pod.metadata.deletionTimestamp !== undefined) this.podGone(pod)
    else {
      this.expectations.creationObserved(key)
      this.parts.queue.add(key)
    }
  }

  podChanged(before: Pod, pod: Pod): void {
    const key = daemonSetKeyOf(pod)
    const previous = daemonSetKeyOf(before)
    if (previous !== undefined && previous !== key) this.parts.queue.add(previous)
    if (key === undefined) {
      if (previous !== undefined || before.metadata.labels !== pod.metadata.labels) this.offer(pod)
    } else if (pod.metadata.deletionTimestamp !== undefined) this.podGone(pod)
    else this.parts.queue.add(key)
  }

  /** Must be called when a pod was deleted, or is terminating. */
  podGone(pod: Pod): void {
    const key = daemonSetKeyOf(pod)
    if (key === undefined) return
    this.expectations.deletionObserved(key, pod.metadata.uid ?? "")
    this.parts.queue.add(key)
  }

  /** Syncs the sets that may now run on a node on which they could not before, or the reverse. */
  nodeChanged(before: Node | undefined, node: Node): void {
    for (const set of this.parts.daemonSets.list()) {
      const eligibilityOf = daemonEligibilities(set)
      const { shouldContinueRunning, shouldRun } = eligibilityOf(node)
      const was = before === undefined ? undefined : eligibilityOf(before)
      const matters =
        was === undefined
          ? shouldRun
          : was.shouldRun !== shouldRun || was.shouldContinueRunning !== shouldContinueRunning
      if (matters) this.parts.queue.add(keyOf(set))
    }
  }

  /** Syncs the sets that select a pod without a controller: one of them adopts it. */
  private offer(pod: Pod): void {
    if (getControllerOf(pod) !== undefined) return
    for (const set of this.parts.daemonSets.list()) {
      if (set.metadata.namespace !== pod.metadata.namespace) continue
      if (matchesLabelSelector(set.spec.selector, pod.metadata.labels)) this.parts.queue.add(keyOf(set))
    }
  }

  readonly sync = (key: string) => this.expectations.forgetOnDefect(key, this.syncOnce(key))

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
    const revision = { hash: current.metadata.labels?.[labelRevision] ?? "", generation: current.revision }
    const mayAct = this.expectations.satisfied(key, timers.now())
    const uid = set.metadata.uid ?? ""
    const belongs = ({ metadata }: Pod) => matchesLabelSelector(set.spec.selector, metadata.labels)
    const orphans = pods.byIndex("orphans", set.metadata.namespace ?? "")
    const own = yield* claimPods(cluster, { owner: set, owned: pods.byIndex("owner", uid), orphans, belongs })
    const input: DaemonInput = {
      set,
      nodes: nodes.list(),
      eligibilityOf: daemonEligibilities(set),
      pods: podsByNode(own, targetNodeOf),
      hash: revision.hash,
      nowMs: timers.now()
    }
    const outcome = mayAct ? yield* Effect.exit(this.act(key, input, revision)) : undefined
    const seen = podsByNode(pods.byIndex("owner", uid).filter(belongs), targetNodeOf)
    yield* this.report({ ...input, pods: seen, nowMs: timers.now() }, collisionCount, mayAct)
    if (outcome === undefined) return
    yield* outcome
    const isLive = ({ metadata: { labels } }: ControllerRevision) => {
      const hash = labels?.[labelRevision]
      return hash === revision.hash || own.some((pod) => pod.metadata.labels?.[labelRevision] === hash)
    }
    yield* history.remove(revisionsBeyondHistory(history.of(set), isLive, set.spec.revisionHistoryLimit))
  })

  /** Creates missing pods and deletes surplus ones. If there are none, it continues the rolling update. */
  private readonly act = Effect.fnUntraced(
    { self: this },
    function* (this: DaemonSets, key: string, input: DaemonInput, revision: DaemonRevision) {
      const plan = daemonPlan(input, (node) => this.mayRemoveFailed(key, input, node))
      this.tell(input.set, plan)
      yield* this.move(key, input.set, plan, revision)
      const isHeld = input.set.spec.updateStrategy?.type === "OnDelete"
      if (isHeld || !this.expectations.satisfied(key, this.parts.timers.now())) return
      yield* this.move(key, input.set, daemonRollingUpdate(input), revision)
    }
  )

  /**
   * Whether a failed pod may be deleted now; if not, the set is synced again after the backoff. Upstream:
   * failedPodsBackoffKey.
   */
  private mayRemoveFailed(key: string, { nowMs, set }: DaemonInput, node: string): boolean {
    const place = `${set.metadata.uid}/${set.status?.observedGeneration ?? 0}/${node}`
    const delayMs = this.backoff.delayOf(place, nowMs)
    if (delayMs === undefined) this.backoff.next(place, nowMs)
    else this.parts.queue.addAfter(key, delayMs)
    return delayMs === undefined
  }

  private tell(set: DaemonSet, { ended }: DaemonPlan): void {
    for (const { node, pod } of ended) {
      const failed = pod.status?.phase === "Failed"
      const where = `daemon pod ${pod.metadata.namespace}/${pod.metadata.name} on node ${node}`
      const text = `Found ${failed ? "failed" : "succeeded"} ${where}, will try to ${failed ? "kill" : "delete"} it`
      const reason = failed ? "FailedDaemonPod" : "SucceededDaemonPod"
      this.parts.recorder.event(set, failed ? "Warning" : "Normal", reason, text)
    }
  }

  /** Creates pods in batches of 1, 2, 4, …, then deletes others. Upstream: syncNodes. */
  private readonly move = Effect.fnUntraced(
    { self: this },
    function* (this: DaemonSets, key: string, set: DaemonSet, moves: DaemonMoves, revision: DaemonRevision) {
      const create = moves.create.slice(0, BURST)
      const remove = moves.remove.slice(0, BURST)
      if (create.length === 0 && remove.length === 0) return
      const uids = remove.map(({ metadata }) => metadata.uid ?? "")
      this.expectations.expect(key, create.length, uids, this.parts.timers.now())
      const made = yield* Effect.exit(this.createOn(key, set, create, revision))
      yield* this.removeAll(key, set, remove)
      yield* made
    }
  )

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

  private readonly report = Effect.fnUntraced(
    { self: this },
    function* (this: DaemonSets, input: DaemonInput, collisionCount: number, observed: boolean) {
      const { set } = input
      const status = daemonSetStatus(input, collisionCount, observed)
      if (set.status === undefined || !sameFields(set.status, status)) {
        yield* this.parts.cluster.updateStatus("DaemonSet", { ...set, status })
      }
      const minReadyMs = (set.spec.minReadySeconds ?? 0) * 1000
      // With minReadySeconds, a pod becomes available without an event.
      if (minReadyMs > 0 && status.numberReady !== (status.numberAvailable ?? 0)) {
        this.parts.queue.addAfter(keyOf(set), minReadyMs + 1)
      }
    }
  )
}

/** The key of the DaemonSet that controls the pod; undefined if none does. */
export const daemonSetKeyOf = (pod: Pod): string | undefined => {
  const owner = getControllerOf(pod)
  return owner?.kind === "DaemonSet" ? keyOf({ metadata: { ...pod.metadata, name: owner.name } }) : undefined
}
