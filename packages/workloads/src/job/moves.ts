import { isPodTerminal, type Job, type Pod } from "@rollcall/api"
import { isPodActive } from "../podState.ts"
import { backoffLeftMs, type Failures } from "./backoff.ts"
import { type Counts, failuresAt, failuresWith } from "./ended.ts"
import { countsByIndex, endOf, indexOf, isIndexed, type NewPod, replacesOnlyFailed } from "./jobPods.ts"
import { surplusPods } from "./surplus.ts"

/** Upstream: MaxPodCreateDeletePerSync. */
const MOST_AT_ONCE = 500

/** Pods to create or to delete, never both at once. */
export interface Moves {
  readonly create: ReadonlyArray<NewPod>
  readonly remove: ReadonlyArray<Pod>
  /** No pod may be created before this time has passed. */
  readonly waitMs?: number
}

export const noMoves: Moves = { create: [], remove: [] }

export const isTerminating = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined && !isPodTerminal(pod)

/** The desired number of active pods. */
const wantedActive = ({ spec: { completions, parallelism = 1 } }: Job, counts: Counts, active: number): number =>
  completions === undefined
    ? counts.succeeded > 0
      ? active
      : parallelism
    : Math.max(0, Math.min(completions - counts.succeeded, parallelism))

/** The lowest indexes that are neither completed nor active. Upstream: firstPendingIndexes. */
const pendingIndexes = (job: Job, counts: Counts, busy: ReadonlySet<number>, count: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let index = 0; index < (job.spec.completions ?? 0) && found.length < count; index++) {
    if (!counts.completed.has(index) && !counts.failedIndexes.has(index) && !busy.has(index)) found.push(index)
  }
  return found
}

/** With a backoff per index. Upstream: getPodCreationInfoForIndependentIndexes. */
const byIndexes = (job: Job, indexes: ReadonlyArray<number>, held: ReadonlyMap<number, Pod>, nowMs: number): Moves => {
  const create: Array<NewPod> = []
  let waitMs = Number.POSITIVE_INFINITY
  for (const index of indexes) {
    const last = held.get(index)
    const lastMs = last === undefined ? 0 : endOf(last)
    const left = backoffLeftMs({ count: failuresAt(last), lastMs }, nowMs)
    if (left === 0) create.push({ index, failures: failuresWith(job, last) })
    else waitMs = Math.min(waitMs, left)
  }
  return create.length > 0 || !Number.isFinite(waitMs) ? { create, remove: [] } : { ...noMoves, waitMs }
}

export interface MovesInput {
  readonly job: Job
  readonly pods: ReadonlyArray<Pod>
  readonly counts: Counts
  readonly failures: Failures
  /** By index, the pod to be replaced. */
  readonly held: ReadonlyMap<number, Pod>
  readonly nowMs: number
}

/** The pods to create or delete to reach the desired number of active ones. Upstream: job_controller.go manageJob. */
export const movesOf = ({ counts, failures, held, job, nowMs, pods }: MovesInput): Moves => {
  const active = pods.filter(isPodActive)
  if (job.spec.suspend === true) return { create: [], remove: surplusPods(job, active, active.length) }
  const wanted = wantedActive(job, counts, active.length)
  const remove = surplusPods(job, active, Math.max(0, active.length - wanted)).slice(0, MOST_AT_ONCE)
  if (remove.length > 0) return { create: [], remove }
  const terminating = replacesOnlyFailed(job) ? pods.filter(isTerminating) : []
  const missing = Math.min(wanted - active.length - terminating.length, MOST_AT_ONCE)
  if (missing <= 0) return noMoves
  const waitMs = countsByIndex(job) ? 0 : backoffLeftMs(failures, nowMs)
  if (waitMs > 0) return { ...noMoves, waitMs }
  if (!isIndexed(job)) return { create: Array.from({ length: missing }, () => ({})), remove: [] }
  const busy = new Set([...active, ...terminating].flatMap((pod) => indexOf(job, pod) ?? []))
  const indexes = pendingIndexes(job, counts, busy, missing)
  if (countsByIndex(job)) return byIndexes(job, indexes, held, nowMs)
  return { create: indexes.map((index) => ({ index })), remove: [] }
}
