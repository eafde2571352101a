import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import type { StaleCache } from "./ConsistencyStore.ts"

/**
 * Makes the counter of the syncs that a controller skipped. Upstream: stale_sync_skips_total in
 * pkg/controller/{replicaset,daemon,statefulset,job}/metrics.
 */
export const staleSyncSkips = (subsystem: string, kind: string) => {
  const counter = Metric.counter(`${subsystem}_stale_sync_skips_total`, {
    description: `[ALPHA] Total number of ${kind} syncs skipped due to a stale watch cache.`,
    incremental: true
  })
  return (context: Context.Context<never>) =>
    ({ group, resource }: StaleCache): void =>
      counter.pipe(Metric.withAttributes({ group, resource })).updateUnsafe(1, context)
}
