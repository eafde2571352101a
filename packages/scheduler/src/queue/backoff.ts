/**
 * How long a pod waits after its n-th failure in a row: the initial back-off doubled n - 1 times, at most the maximum;
 * a maximum of 0 disables it. Any unit of time. Upstream: pkg/scheduler/backend/queue/backoff_queue.go
 * calculateBackoffDuration.
 */
export const backoffAfter = (failures: number, initial: number, max: number): number =>
  failures <= 0 ? 0 : Math.min(initial * 2 ** (failures - 1), max)
