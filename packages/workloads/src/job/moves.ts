import { isPodTerminal, type Job, type Pod } from "@rollcall/api"
import { isPodActive } from "../podState.ts"
import { backoffLeftMs, type Failures } from "./backoff.ts"
import { type Counts, failureCountIncluding, failuresIncluding } from "./ended.ts"
import { countsByIndex, endOf, indexOf, isIndexed, type NewPod, replacesOnlyFailed } from "./jobPods.ts"
import { surplusPods } from "./surplus.ts"

/** Upstream: MaxPodCreateDeletePerSync. */
const MAX_PODS_PER_SYNC = 500

/** Pods to create or to delete; one of the lists is empty. */
export interface PodChanges {
  readonly create: ReadonlyArray<NewPod>
  readonly remove: ReadonlyArray<Pod>
  /** Set if pods are missing, but a backoff of this length has to pass before they are created. */
  readonly waitMs?: number
}

export const noChanges: PodChanges = { create: [], remove: [] }

/** Whether a pod has a deletion timestamp and still runs. */
export const isTerminating = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined && !isPodTerminal(pod)

/**
 * The desired number of active pods. Without completions, no pod is created after the first success, and those that run
 * may finish.
 */
const desiredActive = ({ spec: { completions, parallelism = 1 } }: Job, counts: Counts, active: number): number =>
  completions === undefined
    ? counts.succeeded > 0
      ? active
      : parallelism
    : Math.max(0, Math.min(completions - counts.succeeded, parallelism))

/** The lowest indexes that are neither completed nor active. Upstream: firstPendingIndexes. */
const pendingIndexes = (job: Job, counts: Counts, inUse: ReadonlySet<number>, count: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let index = 0; index < (job.spec.completions ?? 0) && found.length < count; index++) {
    if (!counts.completed.has(index) && !counts.failedIndexes.has(index) && !inUse.has(index)) found.push(index)
  }
  return found
}

/**
 * Creates the pods of indexes of which each has a backoff of its own. Upstream:
 * getPodCreationInfoForIndependentIndexes.
 */
const createWithIndexBackoff = (
  job: Job,
  indexes: ReadonlyArray<number>,
  lastFailed: ReadonlyMap<number, Pod>,
  nowMs: number
): PodChanges => {
  const create: Array<NewPod> = []
  let waitMs = Number.POSITIVE_INFINITY
  for (const index of indexes) {
    const last = lastFailed.get(index)
    const lastMs = last === undefined ? 0 : endOf(last)
    const left = backoffLeftMs({ count: failureCountIncluding(last), lastMs }, nowMs)
    if (left === 0) create.push({ index, failures: failuresIncluding(job, last) })
    else waitMs = Math.min(waitMs, left)
  }
  return create.length > 0 || !Number.isFinite(waitMs) ? { create, remove: [] } : { ...noChanges, waitMs }
}

/** What the pods to create and delete depend on. */
export interface PodChangesInput {
  readonly job: Job
  readonly pods: ReadonlyArray<Pod>
  readonly counts: Counts
  readonly failures: Failures
  /** The last failed pod by index, if each index has a backoff of its own: see `podsAwaitingReplacement`. */
  readonly lastFailed: ReadonlyMap<number, Pod>
  readonly nowMs: number
}

/** The pods to create or delete to reach the desired number of active ones. Upstream: job_controller.go manageJob. */
export const podChangesOf = ({ counts, failures, job, lastFailed, nowMs, pods }: PodChangesInput): PodChanges => {
  const active = pods.filter(isPodActive)
  if (job.spec.suspend === true) return { create: [], remove: surplusPods(job, active, active.length) }
  const desired = desiredActive(job, counts, active.length)
  const remove = surplusPods(job, active, Math.max(0, active.length - desired)).slice(0, MAX_PODS_PER_SYNC)
  if (remove.length > 0) return { create: [], remove }
  const terminating = replacesOnlyFailed(job) ? pods.filter(isTerminating) : []
  const missing = Math.min(desired - active.length - terminating.length, MAX_PODS_PER_SYNC)
  if (missing <= 0) return noChanges
  const waitMs = countsByIndex(job) ? 0 : backoffLeftMs(failures, nowMs)
  if (waitMs > 0) return { ...noChanges, waitMs }
  if (!isIndexed(job)) return { create: Array.from({ length: missing }, () => ({})), remove: [] }
  const inUse = new Set([...active, ...terminating].flatMap((pod) => indexOf(job, pod) ?? []))
  const indexes = pendingIndexes(job, counts, inUse, missing)
  if (countsByIndex(job)) return createWithIndexBackoff(job, indexes, lastFailed, nowMs)
  return { create: indexes.map((index) => ({ index })), remove: [] }
}
