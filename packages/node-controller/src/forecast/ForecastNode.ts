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

/** Times are cut to whole seconds, and a taint takes its moment. */
const SURELY_MS = 2000

const pair = [unreachableNoExecute, notReadyNoExecute]

const isOfPair = (taint: Taint): boolean => pair.some(({ key }) => key === taint.key)

export interface NodeSetting {
  readonly lease: Lease | undefined
  /** Leases are not known: nobody is silent. */
  readonly silenceKnown: boolean
  readonly nowMs: number
  readonly pods: ReadonlyArray<ForecastPod>
}

/** A node as it is and as it will be; and its pods with it. */
export class ForecastNode {
  readonly name: string
  readonly zone: ForecastZone<ForecastNode>
  readonly counts: boolean
  readonly lastSignMs: number | undefined
  readonly silent: boolean
  readonly pods: ReadonlyArray<ForecastPod>
  /** When its silence began, for its controller. */
  probeMs: number
  /** When it becomes Unknown; never, if it is not silent or is so already. */
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

  /** Since when Ready is what it is. */
  get readySinceMs(): number | undefined {
    return instantOfText(getNodeCondition(this.given, nodeReady)?.lastTransitionTime)
  }

  /** Is in its zone's queue. */
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

  /** When it was given the taint that it carries. */
  get taintedMs(): number | undefined {
    return instantOfText(this.givenTaint?.timeAdded)
  }

  /** From when on it certainly is in its zone's queue, if it is: what a kubelet says of itself is seen by the next pass. */
  surelyWaitsFrom(periodMs: number): number {
    if (this.readySinceMs === undefined) return Number.POSITIVE_INFINITY
    const seen = getNodeCondition(this.given, nodeReady)?.status === "Unknown" ? 0 : periodMs
    return this.readySinceMs + seen + SURELY_MS
  }

  /** Has pods that go with it where the controller deletes them. */
  get losesPods(): boolean {
    return this.pods.some(({ pod }) => isDeletedWithNode(pod))
  }

  /** What its pods' deletion is counted from, in releases that delete them. */
  get lostSince(): Pick<NodeHealth, "probeMs" | "readyTransitionMs"> {
    return { probeMs: this.probeMs, readyTransitionMs: Math.max(this.readySinceMs ?? 0, this.anewMs) }
  }

  /** All zones were down, and are not any more: its silence begins anew. */
  startAnew(atMs: number): void {
    this.anewMs = atMs
    this.probeMs = Math.max(this.probeMs, atMs)
  }

  /** Its silence is seen by the passes of these times. */
  foresee(passAfter: (atMs: number) => number, rules: NodeLifecycleSettings): void {
    if (this.ready === "Unknown") {
      // Its silence was noticed just when the grace was over, so it began with the pass that lies so long before.
      const { nodeMonitorGracePeriodMs, nodeMonitorPeriodMs } = rules
      const passes = Math.ceil(nodeMonitorGracePeriodMs / nodeMonitorPeriodMs)
      this.probeMs = Math.max(this.probeMs, (this.readySinceMs ?? 0) - passes * nodeMonitorPeriodMs)
    }
    if (!this.silent || this.ready === "Unknown") return
    const graceMs = this.ready === undefined ? rules.nodeStartupGracePeriodMs : rules.nodeMonitorGracePeriodMs
    this.unknownAtMs = passAfter(passAfter(this.probeMs) + graceMs)
  }

  /** Its grace is over: its conditions become what the controller makes of them. */
  fallSilent(atMs: number, rules: HealthRules): void {
    const status: NodeStatus = this.node.status ?? {}
    const known: NodeHealth = { status, probeMs: this.probeMs, readyTransitionMs: this.probeMs, lease: this.lease }
    // Only later than the end of its grace.
    const judged = judgeNodeHealth(this.node, this.lease, known, atMs + 1, rules)
    this.node = { ...this.node, status: judged.status }
  }

  /** Gives it taints and takes others off, at once for its pods. */
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

  /** Takes the pair off. */
  forgive(atMs: number): void {
    if (!this.carriesPair) return
    this.forgivenAtMs = atMs
    this.taint([], pair, atMs)
  }

  /** Whether anything is to be said of it. */
  isNews(pods: ReadonlyArray<PodForecast>): boolean {
    const ready = getNodeCondition(this.given, nodeReady)?.status
    if (ready !== "True" || this.silent || carriesNoExecutePair(this.given)) return true
    return noExecuteTaints(this.given).length > 0 && pods.some(({ outcome }) => outcome === "deleted")
  }

  /** What has come of it at the end. */
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
