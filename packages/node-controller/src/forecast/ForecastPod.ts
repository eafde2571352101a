import { annotationConfigMirror, getControllerOf, getPodCondition, type Pod, type Taint } from "@rollcall/api"
import { judgeEviction } from "../tainteviction/TaintEviction.ts"
import type { PodForecast, StayReason } from "./EvictionForecast.ts"
import { instantOfText } from "./signsOfLife.ts"

/** When a pod was bound to its node. */
const boundMs = ({ metadata, status }: Pod): number =>
  instantOfText(getPodCondition(status, "PodScheduled")?.lastTransitionTime) ??
  instantOfText(status?.startTime) ??
  instantOfText(metadata.creationTimestamp) ??
  0

/** When a terminating pod was deleted: its deletion timestamp minus its grace period. */
const terminatingSince = ({ metadata }: Pod): number | undefined => {
  const end = instantOfText(metadata.deletionTimestamp)
  return end === undefined ? undefined : end - Number(metadata.deletionGracePeriodSeconds ?? 0) * 1000
}

const stayReason = (pod: Pod): StayReason => {
  if (getControllerOf(pod)?.kind === "DaemonSet") return "daemon-set"
  return pod.metadata.annotations?.[annotationConfigMirror] === undefined ? "tolerates" : "static"
}

/** What a pod's forecast depends on besides its own plan: the state of its node at the end of the simulation. */
export interface NodeOutcome {
  /** Whether the node is still queued at the end of the simulation: its zone's queue never reaches it. */
  readonly isNodeQueued: boolean
  /** The taint that the node would get if its queue reached it; empty if none. */
  readonly comingTaints: ReadonlyArray<Taint>
  readonly endedBy: NonNullable<PodForecast["endedBy"]>
  /** Why a pod stays that neither its tolerations nor the queue keeps. */
  readonly otherwise: StayReason
}

/** A pod on an unhealthy node, with its planned taint eviction. */
export class ForecastPod {
  readonly pod: Pod
  private readonly comparisonOperators: boolean
  private readonly terminatingSinceMs: number | undefined
  private plan: { readonly createdMs: number; readonly dueMs: number } | undefined
  private deletedMs: number | undefined
  private atTheLatest = false
  private toleratedSeconds: number | undefined
  private evictionCancelled = false
  private tolerated = false

  constructor(pod: Pod, comparisonOperators: boolean) {
    this.pod = pod
    this.comparisonOperators = comparisonOperators
    this.terminatingSinceMs = terminatingSince(pod)
  }

  /**
   * Replays the effects of its node's past taints. Their times are known, and an eviction planned at one of them
   * stands. A taint without timeAdded, as kubectl sets it, cannot have had more effects than visible: it counts from
   * now.
   */
  replay(taints: ReadonlyArray<Taint>, nowMs: number): void {
    const bound = boundMs(this.pod)
    const addedMs = ({ timeAdded }: Taint): number => Math.max(bound, instantOfText(timeAdded) ?? nowMs)
    const instants = [...new Set(taints.map(addedMs))].sort((left, right) => left - right)
    for (const atMs of instants) {
      const planned = this.plan
      this.judge(
        taints.filter((taint) => addedMs(taint) <= atMs),
        atMs
      )
      if (this.plan === planned) continue
      this.atTheLatest = taints.some((taint) => addedMs(taint) === atMs && instantOfText(taint.timeAdded) === undefined)
    }
  }

  /** Updates its planned eviction for its node's NoExecute taints at that instant. */
  judge(taints: ReadonlyArray<Taint>, atMs: number): void {
    if (this.isGone(atMs)) return
    this.tolerated = false
    if (taints.length === 0) {
      this.evictionCancelled ||= this.plan !== undefined
      this.plan = undefined
      return
    }
    const { comparisonOperators, plan, pod } = this
    const verdict = judgeEviction(taints, pod.spec.tolerations, plan?.createdMs, atMs, comparisonOperators)
    switch (verdict.kind) {
      case "keep":
        return
      case "evict":
        this.deleteAt(atMs, 0)
        return
      case "tolerate":
        this.plan = undefined
        this.tolerated = true
        return
      case "schedule":
        this.plan = verdict
    }
  }

  /** Records that it is deleted at that instant, after the tolerated seconds, if it is a taint's effect. */
  deleteAt(atMs: number, toleratedSeconds: number | undefined): void {
    if (this.isGone(atMs)) return
    this.deletedMs = atMs
    this.toleratedSeconds = toleratedSeconds
  }

  /** Returns its forecast; to be called once its node's state is final. */
  forecast({ endedBy, comingTaints, ...node }: NodeOutcome): PodForecast {
    const { pod } = this
    if (this.terminatingSinceMs !== undefined)
      return { pod, outcome: "terminating", terminatingSinceMs: this.terminatingSinceMs, endedBy }
    this.isGone(Number.POSITIVE_INFINITY)
    if (this.deletedMs !== undefined) {
      const tolerated = this.toleratedSeconds === undefined ? {} : { toleratedSeconds: this.toleratedSeconds }
      const atTheLatest = this.atTheLatest ? { atTheLatest: true as const } : {}
      return { pod, outcome: "deleted", deletedAtMs: this.deletedMs, ...atTheLatest, ...tolerated, endedBy }
    }
    const { comparisonOperators } = this
    // A taint to come would not affect a pod that tolerates it forever either.
    const tolerated =
      this.tolerated ||
      (comingTaints.length > 0 &&
        judgeEviction(comingTaints, pod.spec.tolerations, undefined, 0, comparisonOperators).kind === "tolerate")
    const why = tolerated
      ? stayReason(pod)
      : node.isNodeQueued && !this.evictionCancelled
        ? "node-waits"
        : node.otherwise
    return { pod, outcome: "stays", why }
  }

  /** Whether it is deleted by that instant. Records the deletion if its planned eviction is due. */
  private isGone(atMs: number): boolean {
    if (this.terminatingSinceMs !== undefined || this.deletedMs !== undefined) return true
    if (this.plan === undefined || this.plan.dueMs > atMs) return false
    this.deletedMs = this.plan.dueMs
    this.toleratedSeconds = Math.round((this.plan.dueMs - this.plan.createdMs) / 1000)
    return true
  }
}
