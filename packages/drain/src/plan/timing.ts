import { type Container, getControllerOf, getPodCondition, type Pod, parseTime } from "@rollcall/api"

/** How long the pods of a cluster take to stop and to start, in seconds. */
export interface Timing {
  /** From the deletion until the pod has terminated, given the grace period. */
  readonly stop: (pod: Pod, graceSeconds: number) => number
  /** From scheduling to readiness. */
  readonly start: (pod: Pod) => number
}

/** Assumed from SIGTERM to the exit of a program that handles it. */
const STOP_SECONDS = 1
/** Assumed start of a pod of which no sibling has started yet: `expectedTiming` takes the image to be present. */
const START_SECONDS = 5
/** The same if the image has to be pulled first: for `worstTiming`. */
const SLOW_START_SECONDS = 60
/** The API's defaults for probes. */
const PERIOD_SECONDS = 10
const FAILURE_THRESHOLD = 3

const maximum = (values: ReadonlyArray<number>): number => values.reduce((high, value) => Math.max(high, value), 0)

const preStopSeconds = ({ spec }: Pod): number =>
  maximum(spec.containers.map(({ lifecycle }) => lifecycle?.preStop?.sleep?.seconds ?? 0))

/** The key by which starts are observed: pods with the same controller are assumed to start equally fast. */
const workloadOf = (pod: Pod): string => getControllerOf(pod)?.uid ?? pod.metadata.uid ?? pod.metadata.name ?? ""

/** Seconds from start to readiness; undefined if the pod is not ready, or if a container of it was restarted. */
const observedStart = ({ status }: Pod): number | undefined => {
  const { containerStatuses = [], startTime: began } = status ?? {}
  const ready = getPodCondition(status, "Ready")
  if (ready?.status !== "True" || began === undefined || ready.lastTransitionTime === undefined) return undefined
  if (containerStatuses.some(({ restartCount = 0 }) => restartCount > 0)) return undefined
  const seconds = (parseTime(ready.lastTransitionTime) - parseTime(began)) / 1000
  return seconds >= 0 ? seconds : undefined
}

/** The observed starts of each workload, in seconds. */
const observedStarts = (pods: ReadonlyArray<Pod>): ReadonlyMap<string, ReadonlyArray<number>> => {
  const starts = new Map<string, Array<number>>()
  for (const pod of pods) {
    const seconds = observedStart(pod)
    if (seconds === undefined) continue
    const workload = workloadOf(pod)
    const known = starts.get(workload)
    if (known === undefined) starts.set(workload, [seconds])
    else known.push(seconds)
  }
  return starts
}

/**
 * Seconds that the probes add to a start: until they can first succeed or, with `longest`, the longest start that they
 * tolerate.
 */
const probeSeconds = ({ readinessProbe, startupProbe }: Container, longest: boolean): number => {
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

const empty: ReadonlyArray<number> = []

/**
 * The timing of pods that behave as they did so far: they exit at SIGTERM, after their preStop sleep, and start as fast
 * as the median of their siblings.
 */
export const expectedTiming = (pods: ReadonlyArray<Pod>): Timing => {
  const starts = observedStarts(pods)
  return {
    stop: (pod, graceSeconds) => Math.min(graceSeconds, preStopSeconds(pod) + STOP_SECONDS),
    start: (pod) =>
      median(starts.get(workloadOf(pod)) ?? empty) ??
      START_SECONDS + maximum(pod.spec.containers.map((container) => probeSeconds(container, false)))
  }
}

/**
 * The timing of pods that are as slow as they may be: they use all of their grace period, and start as slowly as the
 * slowest of their siblings.
 */
export const worstTiming = (pods: ReadonlyArray<Pod>): Timing => {
  const starts = observedStarts(pods)
  return {
    stop: (_, graceSeconds) => graceSeconds,
    start: (pod) => {
      const observed = starts.get(workloadOf(pod))
      const assumed =
        SLOW_START_SECONDS + maximum(pod.spec.containers.map((container) => probeSeconds(container, true)))
      return observed === undefined ? assumed : maximum(observed)
    }
  }
}
