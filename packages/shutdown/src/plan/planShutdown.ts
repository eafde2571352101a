import { isPodTerminal, type Pod } from "@rollcall/api"
import type { ShutdownBucket, ShutdownConfig } from "../config/ShutdownConfig.ts"
import { delayRequested, shutdownBuckets } from "../config/shutdownBuckets.ts"
import { groupByPriority, priorityOf } from "./groupByPriority.ts"
import { killGrace } from "./killGrace.ts"

/** logind's own `InhibitDelayMaxSec`. */
export const defaultInhibitDelaySeconds = 5

export interface PlannedPod {
  readonly pod: Pod
  readonly priority: number
  /**
   * The pod's grace period; the node raises it to 1 where it is less. A pod that is being deleted gets no longer one
   * from a shutdown.
   */
  readonly graceSeconds: number
  /** The shutdown gives the pod less than its own terminationGracePeriodSeconds. */
  readonly cutShort: boolean
}

/** Pods that are killed together. */
export interface ShutdownPhase {
  readonly priority: number
  /** The phase serves priorities from `from` on and below `below`; undefined: no lower, or no upper, limit. */
  readonly from: number | undefined
  readonly below: number | undefined
  readonly shutdownGracePeriodSeconds: number
  readonly pods: ReadonlyArray<PlannedPod>
  /** Seconds after the signal, if every earlier phase takes all its time. A phase without pods takes no time. */
  readonly startSeconds: number
  readonly endSeconds: number
}

export interface ShutdownPlan {
  /**
   * False: graceful shutdown is not configured, or its gate is off. The machine powers off at once and its pods with
   * it.
   */
  readonly graceful: boolean
  /** One for each bucket, in order. */
  readonly phases: ReadonlyArray<ShutdownPhase>
  /** The last end: no shutdown of this node takes longer. */
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

const plannedPods = (pods: ReadonlyArray<Pod>, seconds: number): ReadonlyArray<PlannedPod> =>
  pods.map((pod) => {
    const wanted = pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds
    const graceSeconds = Math.min(killGrace(pod, seconds), wanted ?? seconds)
    return { pod, priority: priorityOf(pod), graceSeconds, cutShort: wanted !== undefined && wanted > graceSeconds }
  })

/**
 * The priority range that a bucket serves; of several buckets with the same priority the first serves exactly that
 * priority, the last those above.
 */
const served = (buckets: ReadonlyArray<ShutdownBucket>, index: number, priority: number) => {
  const before = buckets[index - 1]?.priority
  const next = buckets[index + 1]?.priority
  return {
    from: before === undefined ? undefined : before === priority ? priority + 1 : priority,
    below: next === priority ? priority + 1 : next
  }
}

const phasesOf = (buckets: ReadonlyArray<ShutdownBucket>, pods: ReadonlyArray<Pod>): ReadonlyArray<ShutdownPhase> => {
  let end = 0
  return groupByPriority(buckets, pods).map(({ bucket, pods: members }, index) => {
    const start = end
    const seconds = bucket.shutdownGracePeriodSeconds
    end += members.length === 0 ? 0 : Math.max(0, seconds)
    return {
      priority: bucket.priority,
      ...served(buckets, index, bucket.priority),
      shutdownGracePeriodSeconds: seconds,
      pods: plannedPods(members, seconds),
      startSeconds: start,
      endSeconds: end
    }
  })
}

/**
 * Computes the longest course of a graceful shutdown of a node with these pods. Terminated pods are left out, as the
 * kubelet does; the configuration is not validated.
 */
export const planShutdown = (
  config: ShutdownConfig,
  pods: ReadonlyArray<Pod>,
  { inhibitDelaySeconds = defaultInhibitDelaySeconds }: PlanOptions = {}
): ShutdownPlan => {
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
