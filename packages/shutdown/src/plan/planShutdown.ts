import { isPodTerminal } from "@rollcall/api/rules"
import type { ShutdownBucket, ShutdownConfig } from "../config/ShutdownConfig.ts"
import { delayRequested, shutdownBuckets } from "../config/shutdownBuckets.ts"
import { groupByPriority, priorityOf } from "./groupByPriority.ts"
import { killGrace } from "./killGrace.ts"
import type { ShutdownPod } from "./ShutdownPod.ts"

/** logind's own `InhibitDelayMaxSec`. */
export const defaultInhibitDelaySeconds = 5

/** A pod with the grace period that a shutdown gives it. */
export interface PlannedPod<P extends ShutdownPod = ShutdownPod> {
  readonly pod: P
  readonly priority: number
  /**
   * The grace period with which the pod is killed. The node raises it to 1 if it is less. A shutdown does not lengthen
   * the period of a pod that is being deleted.
   */
  readonly graceSeconds: number
  /** Whether the shutdown gives the pod less than its own grace period. */
  readonly cutShort: boolean
}

/** A phase of a shutdown: the pods of one bucket, which are killed together. */
export interface ShutdownPhase<P extends ShutdownPod = ShutdownPod> {
  readonly priority: number
  /** The phase serves priorities from `from` on and below `below`. An undefined one is no limit. */
  readonly from: number | undefined
  readonly below: number | undefined
  readonly shutdownGracePeriodSeconds: number
  readonly pods: ReadonlyArray<PlannedPod<P>>
  /** Seconds from the signal, if every earlier phase takes all its time. A phase without pods takes no time. */
  readonly startSeconds: number
  readonly endSeconds: number
}

/** The longest course of a node's shutdown. */
export interface ShutdownPlan<P extends ShutdownPod = ShutdownPod> {
  /**
   * Whether graceful shutdown is configured and its gate is on. Otherwise the machine powers off at once, and its pods
   * with it.
   */
  readonly graceful: boolean
  /** One phase for each bucket, in order. */
  readonly phases: ReadonlyArray<ShutdownPhase<P>>
  /** The end of the last phase: no shutdown of this node takes longer. */
  readonly longestSeconds: number
  /** The delay that logind must allow: the seconds of all buckets, including those without pods. */
  readonly delaySeconds: number
  /** The delay that logind allows without an override. */
  readonly inhibitDelaySeconds: number
  /** Whether the kubelet writes an override for logind when it starts. */
  readonly overridesDelay: boolean
}

export interface PlanOptions {
  /** `InhibitDelayMaxSec` of the machine; default logind's own, 5 s. */
  readonly inhibitDelaySeconds?: number
}

const plannedPods = <P extends ShutdownPod>(pods: ReadonlyArray<P>, seconds: number): ReadonlyArray<PlannedPod<P>> =>
  pods.map((pod) => {
    const podSeconds = pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds
    const graceSeconds = Math.min(killGrace(pod, seconds), Number(podSeconds ?? seconds))
    return {
      pod,
      priority: priorityOf(pod),
      graceSeconds,
      cutShort: podSeconds !== undefined && podSeconds > graceSeconds
    }
  })

/**
 * Returns the range of priorities that a bucket serves. Of several buckets with the same priority, the first serves
 * exactly that priority, and the last those above it.
 */
const servedRange = (buckets: ReadonlyArray<ShutdownBucket>, index: number, priority: number) => {
  const previous = buckets[index - 1]?.priority
  const next = buckets[index + 1]?.priority
  return {
    from: previous === undefined ? undefined : previous === priority ? priority + 1 : priority,
    below: next === priority ? priority + 1 : next
  }
}

const phasesOf = <P extends ShutdownPod>(
  buckets: ReadonlyArray<ShutdownBucket>,
  pods: ReadonlyArray<P>
): ReadonlyArray<ShutdownPhase<P>> => {
  let end = 0
  return groupByPriority(buckets, pods).map(({ bucket, pods: members }, index) => {
    const start = end
    const seconds = bucket.shutdownGracePeriodSeconds
    end += members.length === 0 ? 0 : Math.max(0, seconds)
    return {
      priority: bucket.priority,
      ...servedRange(buckets, index, bucket.priority),
      shutdownGracePeriodSeconds: seconds,
      pods: plannedPods(members, seconds),
      startSeconds: start,
      endSeconds: end
    }
  })
}

/**
 * Computes the longest course of a graceful shutdown of a node with these pods. Like the kubelet, it leaves out
 * terminated pods. It does not validate the configuration.
 */
export const planShutdown = <P extends ShutdownPod>(
  config: ShutdownConfig,
  pods: ReadonlyArray<P>,
  { inhibitDelaySeconds = defaultInhibitDelaySeconds }: PlanOptions = {}
): ShutdownPlan<P> => {
  const buckets = shutdownBuckets(config)
  const phases = phasesOf(
    buckets,
    pods.filter((pod) => !isPodTerminal(pod))
  )
  const delaySeconds = delayRequested(buckets)
  return {
    graceful: buckets.length > 0,
    phases,
    longestSeconds: phases.at(-1)?.endSeconds ?? 0,
    delaySeconds,
    inhibitDelaySeconds,
    overridesDelay: delaySeconds > inhibitDelaySeconds
  }
}
