import { badRequest, durationFault, parseDuration, type Status } from "@rollcall/api"
import type { TimersShape } from "@rollcall/time"
import type { Call } from "../call/Call.ts"
import { send, sendStatus } from "../call/respond.ts"
import { isLongRunning } from "../request/longRunning.ts"

/** Returns the 400 for an invalid `timeout`. Upstream: apiserver/pkg/endpoints/filters/request_deadline.go. */
const timeoutFault = (call: Call): Status | undefined => {
  const text = call.query.text("timeout") ?? ""
  if (text === "" || !Number.isNaN(parseDuration(text)) || isLongRunning(call)) return undefined
  return badRequest(`invalid timeout specified in the request URL - ${durationFault(text)}`)
}

const TIMED_OUT = JSON.stringify({
  metadata: {},
  status: "Failure",
  message: "Timeout: request did not complete within the allotted timeout",
  reason: "Timeout",
  details: {},
  code: 504
})

/**
 * Answers the call with 504 once its `timeout` is over, and with 400 if that is invalid; returns whether it has an answer
 * before any work. Work that goes on has none. Upstream: apiserver/pkg/server/filters/timeout.go.
 */
export const endInTime = (call: Call, timers: TimersShape): boolean => {
  const fault = timeoutFault(call)
  if (fault !== undefined) {
    sendStatus(call, fault)
    return true
  }
  const text = call.query.text("timeout") ?? ""
  if (text === "" || isLongRunning(call)) return false
  const limitMs = parseDuration(text)
  const expire = () => {
    if (call.response.headersSent) return
    send(call, 504, "text/plain; charset=utf-8", `${TIMED_OUT}\n`)
    call.isExpired = true
  }
  if (!(limitMs > 0)) return false
  if (limitMs < 1) expire()
  else {
    const timer = timers.after(limitMs, () => call.guard(expire))
    call.response.on("close", () => timers.cancel(timer))
  }
  return call.isExpired
}
