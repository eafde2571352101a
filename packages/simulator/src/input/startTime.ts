import type { ListedObject } from "../snapshot/cluster/ClusterObjects.ts"
import { datedObjects, snapshotTime } from "../snapshot/snapshotTime.ts"

/** Time 0 of a scenario whose snapshot has no times, or that has no snapshot (2026-01-01): arbitrary, but the same for every run. */
const DEFAULT_START_MS = 1_767_225_600_000

/**
 * Returns time 0 of a scenario, in milliseconds since the Unix epoch: the time of its snapshot. At any other one the times in its objects
 * would say something else: a CronJob that ran last in the future does not run, and a pod that is ready since then is not available. It
 * is a whole second, as most times of the API.
 */
export const startTimeOf = (snapshot: ReadonlyArray<ListedObject>, takenMs: number | undefined): number => {
  const timeMs = snapshotTime(datedObjects(snapshot), takenMs)
  return timeMs === 0 ? DEFAULT_START_MS : Math.ceil(timeMs / 1000) * 1000
}
