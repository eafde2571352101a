import { buildLabels } from "@rollcall/api"
import { counter, exponentialBuckets, gauge, histogram } from "@rollcall/time"

/* The metrics of authentication and authorization. Upstream: apiserver/pkg/endpoints/filters/metrics.go. */

const FINEST_SECONDS = 0.001
const BUCKETS = 15
const durations = exponentialBuckets(FINEST_SECONDS, 2, BUCKETS)

export const accessFamilies = {
  userRequests: counter("authenticated_user_requests", "ALPHA", "Authenticated requests by class of user name.", [
    "username"
  ]),
  attempts: counter("authentication_attempts", "ALPHA", "Authentications by result.", ["result"]),
  authenticationDurations: histogram(
    "authentication_duration_seconds",
    durations,
    "ALPHA",
    "How long authentications took, by result.",
    ["result"]
  ),
  authorizations: counter(
    "authorization_attempts_total",
    "ALPHA",
    "Authorizations by result: allowed, denied, no-opinion or error.",
    ["result"]
  ),
  authorizationDurations: histogram(
    "authorization_duration_seconds",
    durations,
    "ALPHA",
    "How long authorizations took, by result.",
    ["result"]
  ),
  impersonations: counter("apiserver_impersonation_attempts_total", "ALPHA", "Impersonations by mode and decision.", [
    "mode",
    "decision"
  ])
}

/* Upstream: apiserver/pkg/audit/metrics.go, component-base/version and kube-aggregator. */
export const serverFamilies = {
  auditEvents: counter("apiserver_audit_event_total", "ALPHA", "Audit events that were sent to the audit backend."),
  auditRejections: counter(
    "apiserver_audit_requests_rejected_total",
    "ALPHA",
    "Requests that were rejected because the audit backend failed."
  ),
  buildInfo: gauge("kubernetes_build_info", "BETA", "What the program was built from; the value is 1.", buildLabels),
  versionInfo: gauge("version_info", "ALPHA", "The versions that the program emulates; the value is 1.", [
    "binary",
    "component",
    "emulation",
    "min_compat"
  ]),
  featureEnabled: gauge("kubernetes_feature_enabled", "BETA", "Whether a feature gate is on.", ["name", "stage"]),
  unavailableApiServices: gauge(
    "aggregator_unavailable_apiservice",
    "ALPHA",
    "APIServices that are not available; 0 for those that are.",
    ["name"]
  ),
  discoveryAggregations: counter(
    "aggregator_discovery_aggregation_count_total",
    "ALPHA",
    "How often aggregated discovery was made."
  ),
  registered: counter("registered_metrics_total", "BETA", "Families of metrics by stability.", [
    "stability_level",
    "deprecated_version"
  ]),
  hidden: counter("hidden_metrics_total", "BETA", "Families that are hidden because they are deprecated."),
  disabled: counter("disabled_metrics_total", "BETA", "Families that are disabled."),
  unsentBytes: gauge(
    "rollcall_unsent_bytes",
    undefined,
    "Bytes of answers and watches that clients have not read yet."
  ),
  unfinishedBodies: gauge("rollcall_unfinished_bodies", undefined, "Bodies of requests that are not complete yet."),
  connections: gauge("rollcall_connections", undefined, "Open connections."),
  unidentifiedConnections: gauge(
    "rollcall_unidentified_connections",
    undefined,
    "Connections on which no caller has been authenticated yet."
  ),
  proxiedRequests: gauge("rollcall_proxied_requests", undefined, "Requests that wait for the kubelet of a node."),
  storeRevision: gauge("rollcall_store_revision", undefined, "The newest revision that reads return."),
  droppedSeries: counter(
    "rollcall_dropped_series_total",
    undefined,
    "Counts that were lost because their families have too many series.",
    ["family"]
  )
}
