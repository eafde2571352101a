import { serviceUnavailable } from "@rollcall/api"
import type { Call } from "../call/Call.ts"
import { send } from "../call/respond.ts"
import { isLongRunning } from "../request/longRunning.ts"

/** Upstream: apiserver/pkg/server/filters/with_retry_after.go, isRequestExemptFromRetryAfter. */
const EXEMPT_PATH = /^\/(?:readyz|livez|healthz|metrics)/
const EXEMPT_AGENT = "kube-apiserver/"

const isExempt = (call: Call): boolean =>
  EXEMPT_PATH.test(call.info.path) || call.header("user-agent")?.startsWith(EXEMPT_AGENT) === true

const REFUSAL = JSON.stringify(serviceUnavailable("apiserver is shutting down"))

/**
 * Refuses a request that came after the server stopped to accept any, on a connection from before: the client finds
 * another server. Returns whether it did. Upstream: apiserver/pkg/server/filters/waitgroup.go, watch_termination.go.
 */
export const refuseWhileStopping = (call: Call): boolean => {
  if (isExempt(call) || (isLongRunning(call) && call.info.verb !== "watch")) return false
  const { request, response } = call
  response.setHeader("Retry-After", 1)
  response.setHeader("X-Content-Type-Options", "nosniff")
  // HTTP/2 has no such header: there, the session has told its client to leave.
  if (request.httpVersionMajor !== 2) response.setHeader("Connection", "close")
  send(call, 503, "application/json", `${REFUSAL}\n`)
  return true
}
