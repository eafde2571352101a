import { counter, gauge, histogram } from "@rollcall/time"

/*
 * The metrics of stored objects and of the watch cache. Upstream: apiserver/pkg/storage/{etcd3,cacher}/metrics.
 * Our store takes the place of etcd.
 */

const resourceLabels = ["group", "resource"] as const
const requestLabels = ["operation", "group", "resource"] as const

/** Upper bounds of the durations of requests, in seconds. */
export const requestBuckets: ReadonlyArray<number> = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60
]

/** The bounds up to this one, in seconds, are those of waits for the watch cache. */
const LONGEST_WAIT = 3

export const storeFamilies = {
  durations: histogram(
    "etcd_request_duration_seconds",
    requestBuckets,
    "ALPHA",
    "How long requests to the store took, by operation and resource.",
    requestLabels
  ),
  requests: counter("etcd_requests_total", "ALPHA", "Requests to the store, by operation and resource.", requestLabels),
  errors: counter(
    "etcd_request_errors_total",
    "ALPHA",
    "Requests to the store that failed or found another revision, by operation and resource.",
    requestLabels
  ),
  objects: gauge(
    "apiserver_storage_objects",
    "STABLE",
    "(Deprecated since 1.34.0) Stored objects by resource; apiserver_resource_objects replaces it.",
    ["resource"]
  ),
  resourceObjects: gauge("apiserver_resource_objects", "ALPHA", "Stored objects by resource.", resourceLabels),
  sizes: gauge(
    "apiserver_resource_size_estimate_bytes",
    "ALPHA",
    "The sum of the sizes of stored objects, as far as the store knows them.",
    resourceLabels
  ),
  events: counter(
    "apiserver_storage_events_received_total",
    "BETA",
    "Changes received from the store, by resource.",
    resourceLabels
  ),
  lists: counter("apiserver_storage_list_total", "ALPHA", "Lists that were read from the store.", resourceLabels),
  listFetched: counter(
    "apiserver_storage_list_fetched_objects_total",
    "ALPHA",
    "Objects that lists read from the store.",
    resourceLabels
  ),
  listEvaluated: counter(
    "apiserver_storage_list_evaluated_objects_total",
    "ALPHA",
    "Objects from the store that lists compared with their selectors.",
    resourceLabels
  ),
  listReturned: counter(
    "apiserver_storage_list_returned_objects_total",
    "ALPHA",
    "Objects from the store that lists returned.",
    resourceLabels
  )
}

export const watchCacheFamilies = {
  lists: counter("apiserver_cache_list_total", "ALPHA", "Lists that were served from the watch cache.", [
    "group",
    "resource",
    "index"
  ]),
  listFetched: counter(
    "apiserver_cache_list_fetched_objects_total",
    "ALPHA",
    "Objects that lists read from the watch cache.",
    ["group", "resource", "index"]
  ),
  listReturned: counter(
    "apiserver_cache_list_returned_objects_total",
    "ALPHA",
    "Objects from the watch cache that lists returned.",
    resourceLabels
  ),
  initEvents: counter(
    "apiserver_init_events_total",
    "ALPHA",
    "Events with which watches began: existing objects, and the history since the watch's revision.",
    resourceLabels
  ),
  received: counter(
    "apiserver_watch_cache_events_received_total",
    "ALPHA",
    "Changes that the watch cache received, by resource.",
    resourceLabels
  ),
  dispatched: counter(
    "apiserver_watch_cache_events_dispatched_total",
    "ALPHA",
    "Changes that the watch cache offered to watches, by resource.",
    resourceLabels
  ),
  initializations: counter(
    "apiserver_watch_cache_initializations_total",
    "ALPHA",
    "How often the watch cache of a resource was filled.",
    resourceLabels
  ),
  capacity: gauge("watch_cache_capacity", "ALPHA", "How many past changes the watch cache keeps.", resourceLabels),
  resourceVersion: gauge(
    "apiserver_watch_cache_resource_version",
    "ALPHA",
    "The resource version of the watch cache, of which the 15 lowest digits are shown.",
    resourceLabels
  ),
  consistentReads: counter(
    "apiserver_watch_cache_consistent_read_total",
    "ALPHA",
    "Lists of the newest state that were served from the watch cache.",
    ["group", "resource", "success", "fallback"]
  ),
  readWait: histogram(
    "apiserver_watch_cache_read_wait_seconds",
    requestBuckets.filter((bound) => bound <= LONGEST_WAIT),
    "ALPHA",
    "How long reads waited until the watch cache showed their resource version.",
    resourceLabels
  )
}
