import { type Container, getControllerOf, getPodCondition, type Pod, parseTime } from "@rollcall/api"

/** How long the pods of a cluster take to stop and to start, in seconds. */
export interface Timing {
  /** From the deletion until the pod has terminated, given the grace period. */
  readonly stop: (pod: Pod, graceSeconds: number) => number
  /** From scheduling to readiness. */
  readonly start: (pod: Pod) => number
}

/** A program that handles SIGTERM exits soon after it. */
const STOP_SECONDS = 1
/** Assumed for a workload without an observed start: with its image present, and without. */
const START_SECONDS = 5
const SLOW_START_SECONDS = 60
/** The kubelet's defaults for probes. */
const PERIOD_SECONDS = 10
const FAILURE_THRESHOLD = 3

const most = (values: ReadonlyArray<number>): number => values.reduce((high, value) => Math.max(high, value), 0)

const preStopSeconds = ({ spec }: Pod): number =>
  most(spec.containers.map(({ lifecycle }) => lifecycle?.preStop?.sleep?.seconds ?? 0))

/** Pods with the same controller start alike. */
const familyOf = (pod: Pod): string => getControllerOf(pod)?.uid ?? pod.metadata.uid ?? pod.metadata.name ?? ""

/** Seconds from start to readiness; undefined when the pod is not ready, or became ready again after a restart. */
const observedStart = ({ status }: Pod): number | undefined => {
  const { containerStatuses = [], startTime: began } = status ?? {}
  const ready = getPodCondition(status, "Ready")
  if (ready?.status !== "True" || began === undefined || ready.lastTransitionTime === undefined) return undefined
  if (containerStatuses.some(({ restartCount = 0 }) => restartCount > 0)) return undefined
  const seconds = (parseTime(ready.lastTransitionTime) - parseTime(began)) / 1000
  return seconds >= 0 ? seconds : undefined
}

const observedStarts = (pods: ReadonlyArray<Pod>): ReadonlyMap<string, ReadonlyArray<number>> => {
  const starts = new Map<string, Array<number>>()
  for (const pod of pods) {
    const seconds = observedStart(pod)
    if (seconds === undefined) continue
    const family = familyOf(pod)
    const known = starts.get(family)
    if (known === undefined) starts.set(family, [seconds])
    else known.push(seconds)
  }
  return starts
}

/**
 * Seconds that the probes alone take: with `longest` the longest start that they tolerate, else until they can first
 * succeed.
 */
const probed = ({ readinessProbe, startupProbe }: Container, longest: boolean): number => {
  const started =
    startupProbe === undefined
      ? 0
      : (startupProbe.initialDelaySeconds ?? 0) +
        (longest
          ? (startupProbe.failureThreshold ?? FAILURE_THRESHOLD) * (startupProbe.periodSeconds ?? PERIOD_SECONDS)
          : 0)
  const ready =
    readinessProbe === undefined
      ? 0
      : (readinessProbe.initialDelaySeconds ?? 0) + (longest ? (readinessProbe.periodSeconds ?? PERIOD_SECONDS) : 0)
  return started + ready
}

const median = (values: ReadonlyArray<number>): number | undefined =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)]

const none: ReadonlyArray<number> = []

/**
 * Pods behave as they did so far: they stop at SIGTERM, after their preStop sleep, and start as fast as the median of
 * their siblings.
 */
export const expectedTiming = (pods: ReadonlyArray<Pod>): Timing => {
  const starts = observedStarts(pods)
  return {
    stop: (pod, graceSeconds) => Math.min(graceSeconds, preStopSeconds(pod) + STOP_SECONDS),
    start: (pod) =>
      median(starts.get(familyOf(pod)) ?? none) ??
      START_SECONDS + most(pod.spec.containers.map((container) => probed(container, false)))
  }
}

/**
 * Pods are as slow as they may be: they use all of their grace period, and start as slowly as the slowest of their
 * siblings.
 */
export const worstTiming = (pods: ReadonlyArray<Pod>): Timing => {
  const starts = observedStarts(pods)
  return {
    stop: (_, graceSeconds) => graceSeconds,
    start: (pod) => {
      const seen = starts.get(familyOf(pod))
      const assumed = SLOW_START_SECONDS + most(pod.spec.containers.map((container) => probed(container, true)))
      return seen === undefined ? assumed : most(seen)
    }
  }
}
