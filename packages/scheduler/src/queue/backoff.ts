/**
 * How long a pod waits after its n-th failure in a row: the initial back-off, doubled n - 1 times, but at most `max`.
 * A `max` of 0 disables the back-off. The result has the unit of `initial` and `max`. Upstream: pkg/scheduler/backend/queue/backoff_queue.go
 * calculateBackoffDuration.
 */
export const backoffAfter = (failures: number, initial: number, max: number): number =>
  failures <= 0 ? 0 : Math.min(initial * 2 ** (failures - 1), max)
