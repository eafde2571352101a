import type { IncomingMessage } from "node:http"
import { goErrorText } from "@rollcall/dynamic-admission/client"
import { upgradeOf } from "@rollcall/streams"
import * as Result from "effect/Result"
import type { Call } from "../call/Call.ts"
import { send, sendText } from "../call/respond.ts"
import { forwardedHeaders, forwardingHeaders } from "../relay/forwardedHeaders.ts"
import { passBack } from "../relay/passBack.ts"
import { passUpgrade } from "../relay/passUpgrade.ts"
import { isLongRunning } from "../request/longRunning.ts"
import { isAvailable, type RemoteVersion } from "../request/RemoteVersions.ts"
import type { RemoteClient } from "./RemoteClient.ts"

/** Upstream: apiserver/pkg/server/config.go, RequestTimeout. */
const TIMEOUT_MS = 60_000

const UNAVAILABLE = "service unavailable\n"

/** Returns the query as Go writes it: parameters sorted by name, encoded anew. */
const queryOf = (url: string): string => {
  const mark = url.indexOf("?")
  if (mark < 0) return ""
  const parameters = new URLSearchParams(url.slice(mark + 1))
  parameters.sort()
  const text = parameters.toString()
  return text === "" ? "" : `?${text}`
}

const pathOf = (url: string): string => (url.includes("?") ? url.slice(0, url.indexOf("?")) : url)

/**
 * Passes a request on to the API server of an APIService, in the name of its user, and the answer back as it comes.
 * Upstream: kube-aggregator/pkg/apiserver/handler_proxy.go.
 */
export const serveRemote = (call: Call, version: RemoteVersion, client: RemoteClient) => {
  const { body, identity, request, response } = call
  if (!isAvailable(version)) return sendText(call, 503, UNAVAILABLE)
  const address = client.addressOf(version)
  if (Result.isFailure(address)) return sendText(call, 503, UNAVAILABLE)
  const url = request.url ?? "/"
  const upgrade = upgradeOf(request)
  const upgrading = upgrade === undefined ? [] : ["Connection", "Upgrade", "Upgrade", call.header("upgrade") ?? ""]
  const sent = client.begin(version, address.success, {
    method: request.method ?? "GET",
    path: `${pathOf(url)}${queryOf(url)}`,
    user: identity,
    headers: [
      ...upgrading,
      ...forwardedHeaders(request.rawHeaders, call.subprotocols),
      ...forwardingHeaders(call, `${address.success.host}:${address.success.port}`)
    ],
    body
  })
  const { timers } = client
  const timer = isLongRunning(call) ? undefined : timers.after(TIMEOUT_MS, () => sent.destroy(new Error(TIMED_OUT)))
  const stopTimer = () => timer !== undefined && timers.cancel(timer)
  sent.on("error", (error) => {
    stopTimer()
    // What has begun cannot be taken back: the client sees that it is cut off.
    if (response.headersSent) response.destroy()
    else call.guard(() => sendText(call, 503, `error trying to reach service: ${goErrorText(error)}\n`))
  })
  sent.on("response", (answer) => {
    stopTimer()
    call.guard(() => passAnswer(call, answer))
  })
  if (upgrade !== undefined) {
    sent.on("upgrade", (answer, server, head) => {
      stopTimer()
      call.guard(() => passUpgrade(call, upgrade, answer, server, head))
    })
  }
  response.on("close", () => sent.destroy())
  sent.end(body.length === 0 ? undefined : body)
}

const TIMED_OUT = "context deadline exceeded"

const REDIRECTED = "the backend attempted to redirect this request, which is not permitted"

/** Passes an answer back, unless it leads elsewhere. */
const passAnswer = (call: Call, answer: IncomingMessage) => {
  const code = answer.statusCode ?? 502
  if (code >= 300 && code < 400 && code !== 304 && answer.headers.location !== undefined) {
    answer.destroy()
    return send(call, 502, "text/plain; charset=utf-8", REDIRECTED)
  }
  passBack(call, answer)
}
