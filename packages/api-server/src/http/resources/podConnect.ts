import {
  badRequest,
  formatTime,
  genericResponse,
  groupResourceOf,
  internalError,
  invalid,
  type Node,
  notFound,
  type Pod,
  type Status,
  unknownError
} from "@rollcall/api"
import { ErrorList, type FieldErrors } from "@rollcall/api/validation"
import { parseGoTime } from "@rollcall/api/wire"
import * as Result from "effect/Result"
import { isWebSocketRequest } from "../../core/ports/webSocketRequest.ts"
import type { KindState } from "../../core/registry/KindState.ts"
import type { Call } from "../call/Call.ts"
import { sendEmpty, sendStatus, sendText } from "../call/respond.ts"
import { InvalidParameter, type Query } from "../request/Query.ts"
import { takeConnection, type UpgradeConnection, upgradeOf } from "../wire/upgrades.ts"
import { isUpgrade, type NodeProxy } from "./NodeProxy.ts"
import { allProtocols } from "./proxy/channelProtocols.ts"
import { openChannels } from "./proxy/channels.ts"
import {
  hostPort,
  isStream,
  type KubeletAddress,
  type KubeletAnswer,
  type KubeletRequest
} from "./proxy/KubeletTransport.ts"
import { kubeletOf, splitSchemeNamePort } from "./proxy/proxyTarget.ts"
import { sendKubeletAnswer } from "./proxy/sendKubeletAnswer.ts"
import { wrongRepresentation } from "./refusals.ts"

/*
 * The subresources of pods that connect a client to a container: log, exec, attach, portforward and proxy. Upstream:
 * pkg/registry/core/pod/rest, pkg/registry/core/pod/strategy.go.
 */

/** What the connections of pods need of the server. */
export interface PodConnections {
  readonly kubelets: NodeProxy
  readonly nodeNamed: (name: string) => Node | undefined
}

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

/** Returns the container that a request names, or the only one. */
const containerOf = ({ metadata, spec }: Pod, asked: string): Result.Result<string, Status> => {
  const { containers = [], ephemeralContainers = [], initContainers = [] } = spec
  const names = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name)
  const { name = "" } = metadata
  if (asked !== "") {
    return names.includes(asked)
      ? Result.succeed(asked)
      : Result.fail(badRequest(`container ${asked} is not valid for pod ${name}`))
  }
  const [only, ...others] = containers
  if (only !== undefined && others.length === 0) return Result.succeed(only.name)
  const choice = only === undefined ? "" : `, choose one of: [${names.join(" ")}]`
  return Result.fail(badRequest(`a container name must be specified for pod ${name}${choice}`))
}

const podsResource = { group: "", resource: "pods/log" }

/** Sends the log that a kubelet answered with. Upstream: GenericHttpResponseChecker. */
const sendLog = (call: Call, name: string, answer: KubeletAnswer) => {
  const { body, code } = answer
  if (isStream(body)) {
    call.response.setHeader("X-Content-Type-Options", "nosniff")
    return sendKubeletAnswer(call, answer)
  }
  const text = typeof body === "string" ? body : Buffer.from(body).toString()
  if (code >= 200 && code <= 206) return sendText(call, 200, text)
  if (code === 500) return sendStatus(call, internalError(text))
  if (code === 400) return sendStatus(call, badRequest(text))
  sendStatus(call, genericResponse(code, { resource: podsResource, name, text }))
}

/** Returns the kubelet of a pod. Kubernetes names a missing node as if it were of the request's resource. */
const podKubelet = (nodeName: string, nodeNamed: PodConnections["nodeNamed"]) =>
  Result.mapError(kubeletOf(nodeName, nodeNamed), (refusal) =>
    refusal.reason === "NotFound" ? notFound({ group: "", resource: "pods" }, nodeName) : refusal
  )

/** The Go type of a log, which is no object. */
const STREAMER = "rest.LocationStreamer"
const noMetadata = unknownError("object does not implement the Object interfaces")

/** Returns the refusal of a log's options, which precedes that of a missing pod. */
const optionsRefusal = ({ info: { name, subresource }, query }: Call): Status | undefined => {
  const errors = subresource === "log" ? logOptionErrors(query) : []
  return errors.length === 0 ? undefined : invalid({ group: "", kind: "PodLogOptions" }, name, errors)
}

const serveLog = (call: Call, pod: Pod, { kubelets, nodeNamed }: PodConnections) => {
  const { name, namespace } = call.info
  const container = containerOf(pod, call.query.text("container") ?? "")
  if (Result.isFailure(container)) return sendStatus(call, container.failure)
  const target = pod.spec.nodeName ? podKubelet(pod.spec.nodeName, nodeNamed) : undefined
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

/**
 * Sends what a kubelet has answered to a stream instead of agreeing to it. Upstream: apimachinery/pkg/util/proxy,
 * UpgradeAwareHandler.
 */
const sendRefusedStream = (call: Call, answer: KubeletAnswer) => {
  const { code } = answer
  if (code === 101) return sendStatus(call, badRequest(NO_SPDY))
  if (code < 400) return sendStatus(call, unknownError(`invalid upgrade response: status code ${code}`))
  sendKubeletAnswer(call, answer)
}

const NO_SPDY = "this server has streams of commands only over WebSockets (such as v5.channel.k8s.io), not over SPDY"

const textOf = ({ body }: KubeletAnswer): string =>
  typeof body === "string" ? body : isStream(body) ? "" : Buffer.from(body).toString()

/** Connects a client to a command over a WebSocket; what prevents that is said over it too. */
const serveChannels = (
  call: Call,
  upgrade: UpgradeConnection,
  kubelets: NodeProxy,
  address: KubeletAddress,
  request: KubeletRequest
) => {
  takeConnection(call.response, upgrade)
  const channels = openChannels({
    headers: call.request.headers,
    subprotocols: call.subprotocols,
    upgrade,
    protocols: allProtocols,
    answered: (code) => call.done(code),
    sent: (length) => {
      call.sentBytes += length
    },
    guard: (act) => call.guard(act)
  })
  if (channels === undefined) return
  kubelets.send(call, address, request, (answer) => {
    if (Result.isFailure(answer)) {
      return channels.fail(internalError(`unable to upgrade connection: error dialing backend: ${answer.failure}`))
    }
    const { body, code } = answer.success
    if (isStream(body) && code === 101) channels.connect(body)
    else channels.fail(internalError(`unable to upgrade connection: ${textOf(answer.success)}`))
  })
}

/** Asks the kubelet for a stream (exec, attach, portforward). */
const serveStream = (call: Call, pod: Pod, { kubelets, nodeNamed }: PodConnections) => {
  const { name, subresource } = call.info
  const isForward = subresource === "portforward"
  const container = isForward ? Result.succeed("") : containerOf(pod, call.query.text("container") ?? "")
  if (Result.isFailure(container)) return sendStatus(call, container.failure)
  const { nodeName } = pod.spec
  if (!nodeName) return sendStatus(call, badRequest(`pod ${name} does not have a host assigned`))
  const target = podKubelet(nodeName, nodeNamed)
  if (Result.isFailure(target)) return sendStatus(call, target.failure)
  if (!isUpgrade(call)) return sendStatus(call, badRequest("Upgrade request required"))
  const path = streamPath(call, subresource, container.success)
  const request = { method: "GET", path, query: call.query.byName(), body: new Uint8Array() }
  const upgrade = isForward || !isWebSocketRequest(call.request.headers) ? undefined : upgradeOf(call.request)
  if (upgrade !== undefined) return serveChannels(call, upgrade, kubelets, target.success, request)
  kubelets.send(call, target.success, request, (answer) => {
    if (Result.isSuccess(answer)) sendRefusedStream(call, answer.success)
    else sendStatus(call, unknownError(`error dialing backend: ${answer.failure}`))
  })
}

/** Returns the path of a stream at a kubelet. Upstream: pkg/registry/core/pod/strategy.go, streamLocation. */
const streamPath = ({ info: { name, namespace } }: Call, subresource: string | undefined, container: string): string =>
  subresource === "portforward"
    ? `/portForward/${namespace}/${name}`
    : `/${subresource}/${namespace}/${name}/${container}`

/** Serves a connection to a pod. */
export const servePodConnection = (call: Call, { cache, definition }: KindState, connections: PodConnections) => {
  const { name, namespace, subresource } = call.info
  const podName = subresource === "proxy" ? splitSchemeNamePort(name)?.name : name
  if (podName === undefined) return sendStatus(call, badRequest(`invalid pod request ${JSON.stringify(name)}`))
  try {
    const refusal = optionsRefusal(call)
    if (refusal !== undefined) return sendStatus(call, refusal)
    const pod = cache.get(namespace, podName)?.object as Pod | undefined
    if (pod === undefined) return sendStatus(call, notFound(groupResourceOf(definition.resource), podName))
    if (subresource === "log") serveLog(call, pod, connections)
    // No process listens on the address of a modelled pod.
    else if (subresource === "proxy") sendStatus(call, badRequest("address not allowed"))
    else serveStream(call, pod, connections)
  } catch (error) {
    if (!(error instanceof InvalidParameter)) throw error
    sendStatus(call, error.status)
  }
}
