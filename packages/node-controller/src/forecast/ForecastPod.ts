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
  return end === undefined ? undefined : end - (metadata.deletionGracePeriodSeconds ?? 0) * 1000
}

const stayReason = (pod: Pod): StayReason => {
  if (getControllerOf(pod)?.kind === "DaemonSet") return "daemon-set"
  return pod.metadata.annotations?.[annotationConfigMirror] === undefined ? "tolerates" : "static"
}

/** What a pod's forecast depends on besides its own plan. */
export interface PodsNode {
  /** Whether its turn never comes. */
  readonly waits: boolean
  /** The taints that it is about to get. */
  readonly wanted: ReadonlyArray<Taint>
  readonly endedBy: NonNullable<PodForecast["endedBy"]>
  /** The reason why pods stay that nothing else keeps. */
  readonly otherwise: StayReason
}

/** A pod on an unhealthy node, with its planned taint eviction. */
export class ForecastPod {
  readonly pod: Pod
  private readonly comparisonOperators: boolean
  private readonly sinceMs: number | undefined
  private plan: { readonly createdMs: number; readonly dueMs: number } | undefined
  private deletedMs: number | undefined
  private atTheLatest = false
  private toleratedSeconds: number | undefined
  private calledOff = false
  private spared = false

  constructor(pod: Pod, comparisonOperators: boolean) {
    this.pod = pod
    this.comparisonOperators = comparisonOperators
    this.sinceMs = terminatingSince(pod)
  }

  /**
   * Replays the effects of its node's past taints: their times are known, and a plan made at one of them stands. A
   * taint without timeAdded, as kubectl sets it, cannot have had more effects than visible: it counts from now.
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

  /** Sets its node's current NoExecute taints. */
  judge(taints: ReadonlyArray<Taint>, atMs: number): void {
    if (this.isGone(atMs)) return
    this.spared = false
    if (taints.length === 0) {
      this.calledOff ||= this.plan !== undefined
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
      case "spare":
        this.plan = undefined
        this.spared = true
        return
      case "schedule":
        this.plan = verdict
    }
  }

  /** Records its deletion. */
  deleteAt(atMs: number, toleratedSeconds: number | undefined): void {
    if (this.isGone(atMs)) return
    this.deletedMs = atMs
    this.toleratedSeconds = toleratedSeconds
  }

  /** Its forecast, once its node's state is final. */
  forecast({ endedBy, wanted, ...node }: PodsNode): PodForecast {
    const { pod } = this
    if (this.sinceMs !== undefined) return { pod, outcome: "terminating", terminatingSinceMs: this.sinceMs, endedBy }
    this.isGone(Number.POSITIVE_INFINITY)
    if (this.deletedMs !== undefined) {
      const tolerated = this.toleratedSeconds === undefined ? {} : { toleratedSeconds: this.toleratedSeconds }
      const latest = this.atTheLatest ? { atTheLatest: true as const } : {}
      return { pod, outcome: "deleted", deletedAtMs: this.deletedMs, ...latest, ...tolerated, endedBy }
    }
    const { comparisonOperators } = this
    // A taint to come would not affect a pod that tolerates it forever either.
    const spared =
      this.spared ||
      (wanted.length > 0 &&
        judgeEviction(wanted, pod.spec.tolerations, undefined, 0, comparisonOperators).kind === "spare")
    const why = spared ? stayReason(pod) : node.waits && !this.calledOff ? "node-waits" : node.otherwise
    return { pod, outcome: "stays", why }
  }

  /** Whether it was deleted before that instant; carries out what is due. */
  private isGone(atMs: number): boolean {
    if (this.sinceMs !== undefined || this.deletedMs !== undefined) return true
    if (this.plan === undefined || this.plan.dueMs > atMs) return false
    this.deletedMs = this.plan.dueMs
    this.toleratedSeconds = Math.round((this.plan.dueMs - this.plan.createdMs) / 1000)
    return true
  }
}
