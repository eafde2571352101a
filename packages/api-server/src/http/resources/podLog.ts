import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import {
  badRequest,
  formatTime,
  genericResponse,
  goQuote,
  internalError,
  invalid,
  type Pod,
  type Status,
  unknownError
} from "@rollcall/api"
import { ErrorList, type FieldErrors } from "@rollcall/api/validation"
import { parseGoTime } from "@rollcall/api/wire"
import { agreeToLog, isStream, type KubeletStream, refuseHandshake, sendLogOver, upgradeOf } from "@rollcall/streams"
import { isWebSocketRequest } from "@rollcall/streams/request"
import * as Result from "effect/Result"
import type { Call } from "../call/Call.ts"
import { sendEmpty, sendStatus, sendText } from "../call/respond.ts"
import { passBody } from "../relay/passBack.ts"
import { InvalidParameter, type Query } from "../request/Query.ts"
import { channelsRequest } from "./connectStream.ts"
import { containerOf, type PodConnections, podKubelet } from "./podKubelet.ts"
import { hostPort, isRelayed, type KubeletAnswer } from "./proxy/KubeletTransport.ts"
import { readStart, streamOf } from "./proxy/relayedAnswers.ts"
import { sendKubeletAnswer } from "./proxy/sendKubeletAnswer.ts"
import { wrongRepresentation } from "./refusals.ts"

/*
 * The log of a container. Upstream: pkg/registry/core/pod/rest/log.go, pkg/registry/core/pod/strategy.go, LogLocation.
 */

/** Checks the form of a time, as the conversion of PodLogOptions does. */
const checkTime = (text: string | undefined): void => {
  const parsed = text === undefined ? undefined : parseGoTime("Time", text)
  if (typeof parsed === "string") throw new InvalidParameter(badRequest(parsed))
}

/** Returns what is wrong with the options of a log. Upstream: ValidatePodLogOptions. */
const logOptionErrors = (query: Query): FieldErrors => {
  const errors = new ErrorList()
  checkTime(query.text("sinceTime"))
  const [tailLines, limitBytes, sinceSeconds] = ["tailLines", "limitBytes", "sinceSeconds"].map((name) =>
    query.integer(name)
  )
  errors.nonNegative("tailLines", tailLines)
  const checkPositive = (name: string, value: number | undefined) => {
    if (value !== undefined && value < 1) errors.invalid(name, value, "must be greater than 0")
  }
  checkPositive("limitBytes", limitBytes)
  if (sinceSeconds !== undefined && query.text("sinceTime") !== undefined) {
    errors.forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified")
  } else checkPositive("sinceSeconds", sinceSeconds)
  if (query.text("stream") !== undefined) errors.forbidden("stream", "may not be specified")
  return errors.all
}

/** Returns the options of a log for its kubelet, in the order of an encoded query. Upstream: LogLocation. */
const kubeletLogQuery = (query: Query): ReadonlyMap<string, ReadonlyArray<string>> => {
  const since = query.text("sinceTime")
  const instant = since === undefined ? undefined : parseGoTime("Time", since)
  const values = {
    follow: query.flag("follow") || undefined,
    limitBytes: query.integer("limitBytes"),
    previous: query.flag("previous") || undefined,
    sinceSeconds: query.integer("sinceSeconds"),
    sinceTime: typeof instant === "object" ? formatTime(instant.seconds * 1000) : undefined,
    tailLines: query.integer("tailLines"),
    timestamps: query.flag("timestamps") || undefined
  }
  return new Map(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, [String(value)]] as const]))
  )
}

/** Sends a log over a WebSocket, or refuses that; returns false if the connection cannot become one. */
const sendOverWebSocket = (call: Call, logOver: (socket: Duplex) => KubeletStream | string): boolean => {
  const { headers } = call.request
  const upgrade = upgradeOf(call.request)
  if (upgrade === undefined) return false
  const agreed = agreeToLog(headers, call.subprotocols ?? headers["sec-websocket-protocol"] ?? "")
  const { answered, guard, sent } = channelsRequest(call, upgrade)
  answered(agreed === undefined ? 403 : 101)
  if (agreed === undefined) refuseHandshake(upgrade.socket)
  else sendLogOver({ agreed, guard, sent, upgrade }, logOver(upgrade.socket))
  return true
}

const podsResource = { group: "", resource: "pods/log" }

const isLogCode = (code: number): boolean => code >= 200 && code <= 206

/** Upstream: apiserver/pkg/registry/generic/rest/response_checker.go, maxReadLength. */
const MAX_ERROR_BYTES = 50_000

/** Sends what a kubelet answered in place of a log. Upstream: GenericHttpResponseChecker. */
const sendFailedLog = (call: Call, name: string, code: number, text: string) => {
  if (code === 500) return sendStatus(call, internalError(text))
  if (code === 400) return sendStatus(call, badRequest(text))
  sendStatus(call, genericResponse(code, { resource: podsResource, name, text }))
}

/** Sends the log that a kubelet of another process answered with. */
const sendRelayedLog = (call: Call, name: string, code: number, message: IncomingMessage) => {
  const { location } = message.headers
  if (code >= 300 && code < 400 && location !== undefined) {
    message.destroy()
    return sendStatus(call, unknownError(`Get ${goQuote(location)}: redirects forbidden`))
  }
  if (!isLogCode(code)) {
    return readStart(message, MAX_ERROR_BYTES, (text) => call.guard(() => sendFailedLog(call, name, code, text)))
  }
  const { request, response } = call
  if (isWebSocketRequest(request.headers) && sendOverWebSocket(call, (socket) => streamOf(message, socket))) return
  response.statusCode = 200
  response.setHeader("Cache-Control", "no-cache, private")
  response.setHeader("Content-Type", "text/plain")
  call.done(200)
  response.flushHeaders()
  passBody(call, message)
}

/** Sends the log that a kubelet answered with. */
const sendLog = (call: Call, name: string, answer: KubeletAnswer) => {
  const { body, code } = answer
  if (isRelayed(body)) return sendRelayedLog(call, name, code, body.message)
  const isLog = isStream(body) || (typeof body === "string" && isLogCode(code))
  if (isLog && isWebSocketRequest(call.request.headers) && sendOverWebSocket(call, () => body)) return
  if (isStream(body)) {
    call.response.setHeader("X-Content-Type-Options", "nosniff")
    return sendKubeletAnswer(call, answer)
  }
  const text = typeof body === "string" ? body : body instanceof Uint8Array ? Buffer.from(body).toString() : ""
  if (isLogCode(code)) return sendText(call, 200, text)
  sendFailedLog(call, name, code, text)
}

/** The Go type of a log, which is no object. */
const STREAMER = "rest.LocationStreamer"
const noMetadata = unknownError("object does not implement the Object interfaces")

/** Returns the refusal of a log's options, which precedes that of a missing pod. */
export const logOptionsRefusal = ({ info: { name }, query }: Call): Status | undefined => {
  const errors = logOptionErrors(query)
  return errors.length === 0 ? undefined : invalid({ group: "", kind: "PodLogOptions" }, name, errors)
}

/** Serves the log of a container of a pod. */
export const serveLog = (call: Call, pod: Pod, { kubelets, nodeNamed }: PodConnections) => {
  const { name, namespace } = call.info
  const container = containerOf(pod, call.query.text("container") ?? "")
  if (Result.isFailure(container)) return sendStatus(call, container.failure)
  const target = pod.spec.nodeName ? podKubelet(pod.spec.nodeName, nodeNamed, kubelets.addressing) : undefined
  if (target !== undefined && Result.isFailure(target)) return sendStatus(call, target.failure)
  const as = call.negotiated?.as
  if (as !== undefined)
    return sendStatus(
      call,
      as === "PartialObjectMetadata" ? noMetadata : wrongRepresentation(as, "not a list", STREAMER)
    )
  if (target === undefined) return sendEmpty(call, 204)
  const path = `/containerLogs/${namespace}/${name}/${container.success}`
  const query = kubeletLogQuery(call.query)
  const request = { method: "GET", path, query, body: new Uint8Array() }
  kubelets.send(call, target.success, request, (answer) => {
    if (Result.isSuccess(answer)) return sendLog(call, name, answer.success)
    const encoded = new URLSearchParams(
      Array.from(query, ([key, [value = ""]]): [string, string] => [key, value])
    ).toString()
    const url = `https://${hostPort(target.success)}${path}${encoded === "" ? "" : `?${encoded}`}`
    sendStatus(call, unknownError(`Get ${JSON.stringify(url)}: ${answer.failure}`))
  })
}
