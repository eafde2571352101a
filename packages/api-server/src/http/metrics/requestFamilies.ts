import { counter, exponentialBuckets, gauge, histogram, linearBuckets } from "@rollcall/time"
import { requestBuckets } from "../../core/metrics/storageFamilies.ts"

/* The metrics of requests. Upstream: apiserver/pkg/endpoints/metrics/metrics.go. */

const requestLabels = ["verb", "group", "version", "resource", "subresource", "scope", "component"] as const
const resourceLabels = ["group", "version", "resource"] as const

/** Objectives are about tenths of seconds: the finest buckets are left out. */
const objectiveBuckets = requestBuckets.slice(2)

const KIB = 1024
const BODY_STEP = 100_000
const FIRST_BODY = 50_000
const BODY_BUCKETS = 31

export const requestFamilies = {
  total: counter(
    "apiserver_request_total",
    "STABLE",
    "Requests by verb, dry run, group, version, resource, scope, component and HTTP code.",
    ["code", "dry_run", ...requestLabels]
  ),
  durations: histogram(
    "apiserver_request_duration_seconds",
    requestBuckets,
    "STABLE",
    "How long requests took, by verb, dry run, group, version, resource, subresource, scope and component.",
    ["dry_run", ...requestLabels]
  ),
  sliDurations: histogram(
    "apiserver_request_sli_duration_seconds",
    objectiveBuckets,
    "ALPHA",
    "How long requests took without waits in the queues of priority and fairness, and without webhooks.",
    requestLabels
  ),
  fieldValidationDurations: histogram(
    "field_validation_request_duration_seconds",
    objectiveBuckets,
    "ALPHA",
    "How long requests took, by their field validation.",
    ["field_validation"]
  ),
  responseSizes: histogram(
    "apiserver_response_sizes",
    exponentialBuckets(1000, 10, 7),
    "STABLE",
    "The sizes of responses to reads in bytes.",
    requestLabels
  ),
  bodySizes: histogram(
    "apiserver_request_body_size_bytes",
    linearBuckets(FIRST_BODY, BODY_STEP, BODY_BUCKETS),
    "ALPHA",
    "The sizes of the bodies of requests in bytes, by resource and verb.",
    ["group", "resource", "verb"]
  ),
  terminations: counter(
    "apiserver_request_terminations_total",
    "ALPHA",
    "Requests that the server terminated to protect itself.",
    ["code", ...requestLabels]
  ),
  aborts: counter(
    "apiserver_request_aborts_total",
    "ALPHA",
    "Requests that were aborted: their clients were gone, or their time was over.",
    ["verb", "group", "version", "resource", "subresource", "scope"]
  ),
  deprecated: gauge(
    "apiserver_requested_deprecated_apis",
    "STABLE",
    "Deprecated APIs that have been requested, with the release that removes them.",
    [...resourceLabels, "subresource", "removed_release"]
  ),
  longRunning: gauge(
    "apiserver_longrunning_requests",
    "STABLE",
    "Open long-running requests by verb, group, version, resource, scope and component.",
    requestLabels
  ),
  inFlight: gauge(
    "apiserver_current_inflight_requests",
    "STABLE",
    "The most requests that executed at once during the last second, by kind.",
    ["request_kind"]
  ),
  inQueue: gauge(
    "apiserver_current_inqueue_requests",
    "ALPHA",
    "The most requests that waited at once during the last second, by kind.",
    ["request_kind"]
  ),
  filterDurations: histogram(
    "apiserver_request_filter_duration_seconds",
    [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30],
    "ALPHA",
    "How long requests were in each filter.",
    ["filter"]
  ),
  tlsErrors: counter("apiserver_tls_handshake_errors_total", "ALPHA", "Connections whose TLS handshake failed."),
  watchEvents: counter(
    "apiserver_watch_events_total",
    "ALPHA",
    "Events sent to the clients of watches.",
    resourceLabels
  ),
  watchEventSizes: histogram(
    "apiserver_watch_events_sizes",
    exponentialBuckets(KIB, 2, 8),
    "ALPHA",
    "The sizes of events in watches in bytes.",
    resourceLabels
  ),
  watchLists: histogram(
    "apiserver_watch_list_duration_seconds",
    [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60],
    "BETA",
    "How long watches that begin with a list took to send it.",
    [...resourceLabels, "scope"]
  ),
  terminatedWatchers: counter(
    "apiserver_terminated_watchers_total",
    "ALPHA",
    "Watches that were cut off because their clients did not read.",
    ["group", "resource"]
  )
}
