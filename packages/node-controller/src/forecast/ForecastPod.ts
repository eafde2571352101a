import { annotationConfigMirror, getControllerOf, getPodCondition, type Pod, type Taint } from "@rollcall/api"
import { judgeEviction } from "../tainteviction/TaintEviction.ts"
import type { PodForecast, StayReason } from "./EvictionForecast.ts"
import { instantOfText } from "./signsOfLife.ts"

/** Since when a pod is on its node. */
const boundMs = ({ metadata, status }: Pod): number =>
  instantOfText(getPodCondition(status, "PodScheduled")?.lastTransitionTime) ??
  instantOfText(status?.startTime) ??
  instantOfText(metadata.creationTimestamp) ??
  0

/** When its deletion was asked for, if it is terminating: its time to go is that plus its grace period. */
const terminatingSince = ({ metadata }: Pod): number | undefined => {
  const end = instantOfText(metadata.deletionTimestamp)
  return end === undefined ? undefined : end - (metadata.deletionGracePeriodSeconds ?? 0) * 1000
}

const stayReason = (pod: Pod): StayReason => {
  if (getControllerOf(pod)?.kind === "DaemonSet") return "daemon-set"
  return pod.metadata.annotations?.[annotationConfigMirror] === undefined ? "tolerates" : "static"
}

/** What a pod's fate depends on besides its own plan. */
export interface PodsNode {
  /** Waits for a turn that does not come. */
  readonly waits: boolean
  /** The taints that it would have. */
  readonly wanted: ReadonlyArray<Taint>
  readonly endedBy: NonNullable<PodForecast["endedBy"]>
  /** Why pods stay that nothing else keeps. */
  readonly otherwise: StayReason
}

/** A pod on a node that is not well: what taint eviction has planned for it. */
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
   * What its node's taints have led to until now: their times are known, and what is planned at one of them stands. One that does
   * not say when it was added, as kubectl's do not, cannot have led to more than what is to be seen: it counts from now.
   */
  recall(taints: ReadonlyArray<Taint>, nowMs: number): void {
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

  /** Its node's NoExecute taints are these from now on. */
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

  /** Its deletion is asked for. */
  deleteAt(atMs: number, toleratedSeconds: number | undefined): void {
    if (this.isGone(atMs)) return
    this.deletedMs = atMs
    this.toleratedSeconds = toleratedSeconds
  }

  /** What has come of it at the end, when its node is as it is for good. */
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
    // A taint that has not come would not move one that tolerates it for ever either.
    const spared =
      this.spared ||
      (wanted.length > 0 &&
        judgeEviction(wanted, pod.spec.tolerations, undefined, 0, comparisonOperators).kind === "spare")
    const why = spared ? stayReason(pod) : node.waits && !this.calledOff ? "node-waits" : node.otherwise
    return { pod, outcome: "stays", why }
  }

  /** Whether it has been asked to go before that instant; carries out what is due. */
  private isGone(atMs: number): boolean {
    if (this.sinceMs !== undefined || this.deletedMs !== undefined) return true
    if (this.plan === undefined || this.plan.dueMs > atMs) return false
    this.deletedMs = this.plan.dueMs
    this.toleratedSeconds = Math.round((this.plan.dueMs - this.plan.createdMs) / 1000)
    return true
  }
}
