import { exponentialBuckets } from "@rollcall/time"

/* Upstream: apiserver/pkg/util/flowcontrol/metrics/metrics.go. */

/** Upper bounds of durations in seconds. */
export const DURATION_BUCKETS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30]
/** Upper bounds of lengths of queues. */
export const QUEUE_BUCKETS = [0, 10, 25, 50, 100, 250, 500, 1000]
/** Upper bounds of seats of requests. */
export const SEAT_BUCKETS = [...exponentialBuckets(1, 2, 7), 100]
