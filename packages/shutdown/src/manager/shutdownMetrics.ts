import * as Metric from "effect/Metric"

/** Upstream: pkg/kubelet/metrics/metrics.go. Both are whole Unix seconds. */
export const gracefulShutdownStartTime = Metric.gauge("kubelet_graceful_shutdown_start_time_seconds", {
  description: "[ALPHA] Last graceful shutdown start time since unix epoch in seconds"
})

export const gracefulShutdownEndTime = Metric.gauge("kubelet_graceful_shutdown_end_time_seconds", {
  description: "[ALPHA] Last graceful shutdown end time since unix epoch in seconds"
})

/** Returns a time as whole seconds since the Unix epoch. */
export const unixSeconds = (ms: number): number => Math.floor(ms / 1000)
