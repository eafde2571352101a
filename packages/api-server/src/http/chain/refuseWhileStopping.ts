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

/** How a server that stops refuses new requests: those on connections from before only, or all (`--shutdown-send-retry-after`). */
export type Refusing = "connected" | "all"

/** HTTP/2 has no header by which a client leaves the connection: its session tells it. */
const leaveConnection = ({ connection, request, response }: Call): void => {
  if (request.httpVersionMajor !== 2) response.setHeader("Connection", "close")
  else connection?.closer.finish?.()
}

const sendRetryAfter = (call: Call): boolean => {
  if (isExempt(call)) return false
  call.response.setHeader("Retry-After", 5)
  call.response.setHeader("X-Content-Type-Options", "nosniff")
  leaveConnection(call)
  send(call, 429, "text/plain; charset=utf-8", "The apiserver is shutting down, please try again later.\n")
  return true
}

/**
 * Refuses a request that came after the server stopped to accept any: the client finds another server. Returns whether it
 * did. Upstream: apiserver/pkg/server/filters/waitgroup.go, watch_termination.go, with_retry_after.go.
 */
export const refuseWhileStopping = (call: Call, refusing: Refusing): boolean => {
  if (refusing === "all") return sendRetryAfter(call)
  if (isExempt(call) || (isLongRunning(call) && call.info.verb !== "watch")) return false
  const { response } = call
  response.setHeader("Retry-After", 1)
  response.setHeader("X-Content-Type-Options", "nosniff")
  leaveConnection(call)
  send(call, 503, "application/json", `${REFUSAL}\n`)
  return true
}
