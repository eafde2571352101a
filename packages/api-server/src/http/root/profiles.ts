import type { Call } from "../call/Call.ts"
import { sendText } from "../call/respond.ts"

const PREFIX = "/debug/pprof/"

/**
 * Answers a request for a profile of Go's runtime, which this program has none of; returns whether it is one. Upstream:
 * apiserver/pkg/server/routes/profiling.go; net/http/pprof.
 */
export const serveProfile = (call: Call): boolean => {
  const { path } = call.info
  if (!path.startsWith(PREFIX) || path === PREFIX) return false
  call.response.setHeader("X-Go-Pprof", "1")
  sendText(call, 404, "Unknown profile\n")
  return true
}
