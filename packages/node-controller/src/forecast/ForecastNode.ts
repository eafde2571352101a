import {
  addTaints,
  type ConditionStatus,
  formatTime,
  getNodeCondition,
  hasTaintKey,
  type Lease,
  labelExcludeDisruption,
  type Node,
  type NodeStatus,
  nodeReady,
  removeTaints,
  type Taint,
  taintOutOfService
} from "@rollcall/api"
import { type HealthRules, judgeNodeHealth, type NodeHealth } from "../lifecycle/NodeHealth.ts"
import type { NodeLifecycleSettings } from "../lifecycle/NodeLifecycleSettings.ts"
import { taintsFor } from "../lifecycle/NoExecuteDecision.ts"
import { isDeletedWithNode } from "../lifecycle/PodDeletion.ts"
import { carriesNoExecutePair, notReadyNoExecute, unreachableNoExecute } from "../Taints.ts"
import { noExecuteTaints } from "../tainteviction/TaintEvictionQueue.ts"
import type { NodeForecast, PodForecast } from "./EvictionForecast.ts"
import type { ForecastPod } from "./ForecastPod.ts"
import type { ForecastZone } from "./ForecastZone.ts"
import { instantOfText, isSilent, lastSignOf } from "./signsOfLife.ts"

/** Tolerance in comparisons: times are cut to whole seconds, and tainting takes a moment. */
const TOLERANCE_MS = 2000

const pair = [unreachableNoExecute, notReadyNoExecute]

const isOfPair = (taint: Taint): boolean => pair.some(({ key }) => key === taint.key)

export interface ForecastNodeOptions {
  readonly lease: Lease | undefined
  /** Whether leases are known; if not, no node counts as silent. */
  readonly silenceKnown: boolean
  readonly nowMs: number
  readonly pods: ReadonlyArray<ForecastPod>
}

/** A node with its pods, in its present and future states. */
export class ForecastNode {
  readonly name: string
  readonly zone: ForecastZone<ForecastNode>
  /** Whether it counts for its zone's state: it has no label that excludes it. */
  readonly countsForZone: boolean
  readonly lastSignMs: number | undefined
  /** Whether a healthy kubelet would have renewed its lease or status since the last sign of life. */
  readonly silent: boolean
  readonly pods: ReadonlyArray<ForecastPod>
  /** When the controller last saw a sign of life. */
  probeMs: number
  /** When it becomes Unknown; Infinity if it is not silent, or Unknown already. */
  unknownAtMs = Number.POSITIVE_INFINITY
  /** See the fields of the same names in NodeForecast. */ queueReachedAtMs: number | undefined
  place: number | undefined
  taintRemovedAtMs: number | undefined
  swappedAtMs: number | undefined
  /** The node as it was read; `node` changes in the simulation. */
  private readonly initialNode: Node
  private readonly lease: Lease | undefined
  private node: Node
  /** When all-zones-down ended, which restarted all grace periods; 0 if it did not. */
  private gracePeriodRestartedMs = 0

  constructor(node: Node, zone: ForecastZone<ForecastNode>, { lease, nowMs, pods, silenceKnown }: ForecastNodeOptions) {
    this.name = node.metadata.name ?? ""
    this.zone = zone
    this.countsForZone = node.metadata.labels?.[labelExcludeDisruption] === undefined
    this.initialNode = node
    this.node = node
    this.lease = lease
    this.pods = pods
    this.lastSignMs = lastSignOf(node, lease)
    this.silent = silenceKnown && this.lastSignMs !== undefined && isSilent(this.lastSignMs, lease, nowMs)
    this.probeMs = this.lastSignMs ?? nowMs
  }

  get ready(): ConditionStatus | undefined {
    return getNodeCondition(this.node, nodeReady)?.status
  }

  /** When Ready last changed, as its condition said when it was read. */
  get readySinceMs(): number | undefined {
    return instantOfText(getNodeCondition(this.initialNode, nodeReady)?.lastTransitionTime)
  }

  /** Whether it is in its zone's queue. */
  get isQueued(): boolean {
    return this.zone.has(this)
  }

  get createdMs(): number {
    return instantOfText(this.initialNode.metadata.creationTimestamp) ?? 0
  }

  get current(): Node {
    return this.node
  }

  get carriesNoExecuteTaint(): boolean {
    return carriesNoExecutePair(this.node)
  }

  private get initialTaint(): Taint | undefined {
    return noExecuteTaints(this.initialNode).find(isOfPair)
  }

  /** When it got the NoExecute taint that it had when it was read. */
  get taintedMs(): number | undefined {
    return instantOfText(this.initialTaint?.timeAdded)
  }

  /** The time from which it is certainly in its zone's queue, if at all: the next pass sees what a kubelet reported. */
  surelyQueuedFromMs(periodMs: number): number {
    if (this.readySinceMs === undefined) return Number.POSITIVE_INFINITY
    const noticeMs = getNodeCondition(this.initialNode, nodeReady)?.status === "Unknown" ? 0 : periodMs
    return this.readySinceMs + noticeMs + TOLERANCE_MS
  }

  /** Whether it has pods that are deleted with it, in releases where the controller deletes them. */
  get hasPodsToDelete(): boolean {
    return this.pods.some(({ pod }) => isDeletedWithNode(pod))
  }

  /** The times from which the deletion of its pods counts, in releases that delete them. */
  get deletionCountsFrom(): Pick<NodeHealth, "probeMs" | "readyTransitionMs"> {
    return { probeMs: this.probeMs, readyTransitionMs: Math.max(this.readySinceMs ?? 0, this.gracePeriodRestartedMs) }
  }

  /** Restarts its grace period, as the controller does when all-zones-down ends. */
  restartGracePeriod(atMs: number): void {
    this.gracePeriodRestartedMs = atMs
    this.probeMs = Math.max(this.probeMs, atMs)
  }

  /**
   * Sets `unknownAtMs`: its silence is noticed by a pass, and `passAfter` gives the first one that may see an event.
   */
  predictSilence(passAfter: (atMs: number) => number, rules: NodeLifecycleSettings): void {
    if (this.ready === "Unknown") {
      // A pass noticed its silence when the grace period had just passed, so the silence began one grace period before
      // that pass.
      const { nodeMonitorGracePeriodMs, nodeMonitorPeriodMs } = rules
      const passes = Math.ceil(nodeMonitorGracePeriodMs / nodeMonitorPeriodMs)
      this.probeMs = Math.max(this.probeMs, (this.readySinceMs ?? 0) - passes * nodeMonitorPeriodMs)
    }
    if (!this.silent || this.ready === "Unknown") return
    const graceMs = this.ready === undefined ? rules.nodeStartupGracePeriodMs : rules.nodeMonitorGracePeriodMs
    this.unknownAtMs = passAfter(passAfter(this.probeMs) + graceMs)
  }

  /** Sets its conditions to Unknown, as the controller does once its grace period has passed. */
  turnUnknown(atMs: number, rules: HealthRules): void {
    const status: NodeStatus = this.node.status ?? {}
    const known: NodeHealth = { status, probeMs: this.probeMs, readyTransitionMs: this.probeMs, lease: this.lease }
    // The grace period must be exceeded, not only reached.
    const judged = judgeNodeHealth(this.node, this.lease, known, atMs + 1, rules)
    this.node = { ...this.node, status: judged.status }
  }

  /** Adds and removes taints, with immediate effect on its pods. */
  taint(added: ReadonlyArray<Taint>, removed: ReadonlyArray<Taint>, atMs: number): void {
    const timeAdded = formatTime(atMs)
    const present = this.node.spec?.taints
    const withAdded = addTaints(
      present,
      added.map((taint) => ({ ...taint, timeAdded }))
    )
    this.setTaints(withAdded, atMs)
    this.setTaints(removeTaints(withAdded, removed), atMs)
  }

  /** Removes its not-ready and unreachable taints. */
  removePair(atMs: number): void {
    if (!this.carriesNoExecuteTaint) return
    this.taintRemovedAtMs = atMs
    this.taint([], pair, atMs)
  }

  /** Whether the node belongs in the forecast. */
  isReportable(pods: ReadonlyArray<PodForecast>): boolean {
    const ready = getNodeCondition(this.initialNode, nodeReady)?.status
    if (ready !== "True" || this.silent || carriesNoExecutePair(this.initialNode)) return true
    return noExecuteTaints(this.initialNode).length > 0 && pods.some(({ outcome }) => outcome === "deleted")
  }

  /** The node's forecast, at the end of the simulation. */
  report(settings: NodeLifecycleSettings, outOfServiceCounts: boolean): NodeForecast {
    const { initialNode, zone } = this
    const isDeletion = settings.podEviction === "deletion"
    const ready = getNodeCondition(initialNode, nodeReady)?.status
    const outOfService = hasTaintKey(initialNode, taintOutOfService)
    const { isQueued } = this
    const comingTaint = isDeletion ? undefined : taintsFor(this.ready ?? "Unknown")?.matching
    const endedBy =
      ready === "True" && !this.silent
        ? "kubelet"
        : outOfService && outOfServiceCounts
          ? "pod-gc"
          : settings.forcedDeletion
            ? "node-controller"
            : this.silent || ready === "Unknown"
              ? "nobody"
              : "kubelet"
    const pods = this.pods.map((pod) =>
      pod.forecast({
        isNodeQueued: isQueued,
        endedBy,
        comingTaints: comingTaint === undefined ? [] : [comingTaint],
        otherwise: isDeletion && !isQueued ? "not-deleted" : "called-off"
      })
    )
    return {
      node: initialNode,
      zoneKey: zone.key,
      ready,
      readySinceMs: this.readySinceMs,
      lastSignMs: this.lastSignMs,
      silent: this.silent,
      unknownAtMs: Number.isFinite(this.unknownAtMs) ? this.unknownAtMs : undefined,
      taint: this.initialTaint,
      otherTaints: noExecuteTaints(initialNode).filter((taint) => !isOfPair(taint)),
      queueReachedAtMs: this.queueReachedAtMs,
      place: this.place,
      stoppedBy: isQueued ? zone.pace().stoppedBy : undefined,
      taintRemovedAtMs: this.taintRemovedAtMs,
      swappedAtMs: this.swappedAtMs,
      outOfService,
      pods
    }
  }

  private setTaints(taints: ReadonlyArray<Taint> | undefined, atMs: number): void {
    if (taints === this.node.spec?.taints) return
    this.node = { ...this.node, spec: { ...this.node.spec, taints: taints ?? [] } }
    const noExecute = noExecuteTaints(this.node)
    for (const pod of this.pods) pod.judge(noExecute, atMs)
  }
}
