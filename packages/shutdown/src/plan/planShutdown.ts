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
  /** What it has to end; the node makes it 1 where it is less. A pod that is being deleted gets no more by a shutdown. */
  readonly graceSeconds: number
  /** The shutdown gives it less than its own terminationGracePeriodSeconds. */
  readonly cutShort: boolean
}

/** Pods that are killed together. */
export interface ShutdownPhase {
  readonly priority: number
  /** The phase serves priorities from this one on, and below the other; undefined: however low, or however high. */
  readonly from: number | undefined
  readonly below: number | undefined
  readonly shutdownGracePeriodSeconds: number
  readonly pods: ReadonlyArray<PlannedPod>
  /** Seconds after the signal, if all before it took as long as they may. A phase without pods takes no time. */
  readonly startSeconds: number
  readonly endSeconds: number
}

export interface ShutdownPlan {
  /** False: nothing is configured, or the gate is off. The machine goes down at once, and pods with it. */
  readonly graceful: boolean
  /** One for each bucket, in order. */
  readonly phases: ReadonlyArray<ShutdownPhase>
  /** The last end: no shutdown of this node takes longer. */
  readonly longestSeconds: number
  /** What logind must allow: the seconds of all buckets, those without pods too. */
  readonly delaySeconds: number
  /** What logind allows by itself. */
  readonly inhibitDelaySeconds: number
  /** The kubelet writes an override for logind when it starts. */
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

/** What of the priorities a bucket serves; of several of one priority the first has that very priority, the last what is above. */
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
 * What a graceful shutdown of a node with these pods will do at most. Pods that are over are left out, as the kubelet leaves
 * them out; the configuration is taken as it is, valid or not.
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
