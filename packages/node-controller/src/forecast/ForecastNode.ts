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
const SURELY_MS = 2000

const pair = [unreachableNoExecute, notReadyNoExecute]

const isOfPair = (taint: Taint): boolean => pair.some(({ key }) => key === taint.key)

export interface NodeSetting {
  readonly lease: Lease | undefined
  /** False: leases are not known, and no node counts as silent. */
  readonly silenceKnown: boolean
  readonly nowMs: number
  readonly pods: ReadonlyArray<ForecastPod>
}

/** A node with its pods, in its present and future states. */
export class ForecastNode {
  readonly name: string
  readonly zone: ForecastZone<ForecastNode>
  readonly counts: boolean
  readonly lastSignMs: number | undefined
  readonly silent: boolean
  readonly pods: ReadonlyArray<ForecastPod>
  /** When the controller last saw a sign of life. */
  probeMs: number
  /** When it becomes Unknown; Infinity if it is not silent, or Unknown already. */
  unknownAtMs = Number.POSITIVE_INFINITY
  turnAtMs: number | undefined
  place: number | undefined
  forgivenAtMs: number | undefined
  swappedAtMs: number | undefined
  private readonly given: Node
  private readonly lease: Lease | undefined
  private node: Node
  private anewMs = 0

  constructor(node: Node, zone: ForecastZone<ForecastNode>, { lease, nowMs, pods, silenceKnown }: NodeSetting) {
    this.name = node.metadata.name ?? ""
    this.zone = zone
    this.counts = node.metadata.labels?.[labelExcludeDisruption] === undefined
    this.given = node
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

  /** The last transition of Ready. */
  get readySinceMs(): number | undefined {
    return instantOfText(getNodeCondition(this.given, nodeReady)?.lastTransitionTime)
  }

  /** Whether it is in its zone's queue. */
  get waits(): boolean {
    return this.zone.waits(this)
  }

  get createdMs(): number {
    return instantOfText(this.given.metadata.creationTimestamp) ?? 0
  }

  get current(): Node {
    return this.node
  }

  get carriesPair(): boolean {
    return carriesNoExecutePair(this.node)
  }

  private get givenTaint(): Taint | undefined {
    return noExecuteTaints(this.given).find(isOfPair)
  }

  /** When it got its current taint. */
  get taintedMs(): number | undefined {
    return instantOfText(this.givenTaint?.timeAdded)
  }

  /** When it is certainly in its zone's queue, if at all: the next pass sees what a kubelet reported. */
  surelyWaitsFrom(periodMs: number): number {
    if (this.readySinceMs === undefined) return Number.POSITIVE_INFINITY
    const seen = getNodeCondition(this.given, nodeReady)?.status === "Unknown" ? 0 : periodMs
    return this.readySinceMs + seen + SURELY_MS
  }

  /** Whether it has pods that are deleted with it, in releases where the controller deletes them. */
  get losesPods(): boolean {
    return this.pods.some(({ pod }) => isDeletedWithNode(pod))
  }

  /** The times from which the deletion of its pods counts, in releases that delete them. */
  get lostSince(): Pick<NodeHealth, "probeMs" | "readyTransitionMs"> {
    return { probeMs: this.probeMs, readyTransitionMs: Math.max(this.readySinceMs ?? 0, this.anewMs) }
  }

  /** All-zones-down has ended: restarts its grace period. */
  restartGracePeriod(atMs: number): void {
    this.anewMs = atMs
    this.probeMs = Math.max(this.probeMs, atMs)
  }

  /** Predicts when its silence is noticed, by passes at these times. */
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

  /** Its grace period has passed: its conditions change as the controller sets them. */
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
    const more = addTaints(
      present,
      added.map((taint) => ({ ...taint, timeAdded }))
    )
    this.setTaints(more, atMs)
    this.setTaints(removeTaints(more, removed), atMs)
  }

  /** Removes the pair. */
  forgive(atMs: number): void {
    if (!this.carriesPair) return
    this.forgivenAtMs = atMs
    this.taint([], pair, atMs)
  }

  /** Whether the node belongs in the forecast. */
  isReportable(pods: ReadonlyArray<PodForecast>): boolean {
    const ready = getNodeCondition(this.given, nodeReady)?.status
    if (ready !== "True" || this.silent || carriesNoExecutePair(this.given)) return true
    return noExecuteTaints(this.given).length > 0 && pods.some(({ outcome }) => outcome === "deleted")
  }

  /** The node's forecast, at the end of the simulation. */
  report(settings: NodeLifecycleSettings, outOfServiceCounts: boolean): NodeForecast {
    const { given, zone } = this
    const isDeletion = settings.podEviction === "deletion"
    const ready = getNodeCondition(given, nodeReady)?.status
    const outOfService = hasTaintKey(given, taintOutOfService)
    const { waits } = this
    const wanted = isDeletion ? undefined : taintsFor(this.ready ?? "Unknown")?.matching
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
        waits,
        endedBy,
        wanted: wanted === undefined ? [] : [wanted],
        otherwise: isDeletion && !waits ? "not-deleted" : "called-off"
      })
    )
    return {
      node: given,
      zoneKey: zone.key,
      ready,
      readySinceMs: this.readySinceMs,
      lastSignMs: this.lastSignMs,
      silent: this.silent,
      unknownAtMs: Number.isFinite(this.unknownAtMs) ? this.unknownAtMs : undefined,
      taint: this.givenTaint,
      otherTaints: noExecuteTaints(given).filter((taint) => !isOfPair(taint)),
      turnAtMs: this.turnAtMs,
      place: this.place,
      stoppedBy: waits ? zone.pace().stoppedBy : undefined,
      forgivenAtMs: this.forgivenAtMs,
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
