import { counter, exponentialBuckets, histogram } from "@rollcall/time"

const HOUR = 3600
const DAY = 24 * HOUR
const MONTH = 30 * DAY
const FINEST_SECONDS = 0.0001
const BUCKETS = 12

/*
 * Upstream: apiserver/pkg/authentication/request/x509, apiserver/pkg/authorization/metrics, pkg/serviceaccount/metrics.go,
 * plugin/pkg/auth/authorizer/node/metrics.go.
 */
export const securityFamilies = {
  certificateExpiry: histogram(
    "apiserver_client_certificate_expiration_seconds",
    [
      ...[0, HOUR / 2, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 4 * DAY, 7 * DAY],
      ...[MONTH, 3 * MONTH, 6 * MONTH, 12 * MONTH]
    ],
    "ALPHA",
    "How long the client certificates of authenticated requests are still valid."
  ),
  decisions: counter(
    "apiserver_authorization_decisions_total",
    "ALPHA",
    "Requests that an authorizer allowed or denied, by authorizer.",
    ["type", "name", "decision"]
  ),
  validTokens: counter("serviceaccount_valid_tokens_total", "ALPHA", "Uses of valid tokens of service accounts."),
  staleTokens: counter(
    "serviceaccount_stale_tokens_total",
    "ALPHA",
    "Uses of tokens of service accounts that are valid for longer than they should be."
  ),
  legacyTokens: counter("serviceaccount_legacy_tokens_total", "ALPHA", "Uses of tokens that are kept in Secrets."),
  legacyManualTokens: counter(
    "serviceaccount_legacy_manual_token_uses_total",
    "ALPHA",
    "Uses of tokens in Secrets that people made."
  ),
  legacyAutoTokens: counter(
    "serviceaccount_legacy_auto_token_uses_total",
    "ALPHA",
    "Uses of tokens in Secrets that were made for accounts."
  ),
  invalidLegacyAutoTokens: counter(
    "serviceaccount_invalid_legacy_auto_token_uses_total",
    "ALPHA",
    "Uses of tokens in Secrets that were made for accounts and are no longer valid."
  ),
  graphActions: histogram(
    "node_authorizer_graph_actions_duration_seconds",
    exponentialBuckets(FINEST_SECONDS, 2, BUCKETS),
    "ALPHA",
    "How long updates of the graph of the node authorizer took.",
    ["operation"]
  )
}
