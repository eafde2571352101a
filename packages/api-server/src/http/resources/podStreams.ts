import { badRequest, internalError, type Pod, unknownError } from "@rollcall/api"
import {
  type ChannelsRequest,
  connectUpgrade,
  isPorts,
  isStream,
  openChannels,
  takeConnection,
  type UpgradeConnection,
  upgradeOf
} from "@rollcall/streams"
import { isWebSocketRequest } from "@rollcall/streams/request"
import * as Result from "effect/Result"
import type { Call } from "../call/Call.ts"
import { send, sendStatus } from "../call/respond.ts"
import { forwardedPart } from "../relay/forwardedHeaders.ts"
import type { Query } from "../request/Query.ts"
import { isUpgrade, type NodeProxy } from "./NodeProxy.ts"
import { containerOf, type PodConnections, podKubelet } from "./podKubelet.ts"
import {
  isRelayed,
  type KubeletAddress,
  type KubeletAnswer,
  type KubeletReply,
  type KubeletRequest
} from "./proxy/KubeletTransport.ts"
import { sendRelayedUpgrade, upgradeFailure } from "./proxy/relayedAnswers.ts"
import { sendKubeletAnswer } from "./proxy/sendKubeletAnswer.ts"

/*
 * The subresources of pods that change the protocol of their connection: exec, attach and portforward. Upstream:
 * pkg/registry/core/pod/rest/subresources.go, pkg/registry/core/pod/strategy.go.
 */

/** Returns what the parts of a connection need of its call. */
export const channelsRequest = (call: Call, upgrade: UpgradeConnection): ChannelsRequest => ({
  headers: call.request.headers,
  subprotocols: call.subprotocols,
  upgrade,
  answered: (code) => {
    takeConnection(call.response, upgrade)
    call.done(code)
  },
  sent: (length) => {
    call.sentBytes += length
  },
  guard: (act) => {
    let isDone = false
    call.guard(() => {
      act()
      isDone = true
    })
    // The response no longer has the connection that it would end.
    if (!isDone) upgrade.socket.destroy()
  }
})

/**
 * Sends what a kubelet has answered to a stream instead of agreeing to it. Upstream: apimachinery/pkg/util/proxy,
 * UpgradeAwareHandler.
 */
const sendRefusedStream = (call: Call, answer: KubeletAnswer) => {
  const { body, code } = answer
  if (isRelayed(body)) return sendRelayedUpgrade(call, undefined, answer)
  if (code === 101) return sendStatus(call, badRequest("Upgrade request required"))
  if (code < 400) return sendStatus(call, unknownError(`invalid upgrade response: status code ${code}`))
  sendKubeletAnswer(call, answer)
}

const textOf = ({ body }: KubeletAnswer): string =>
  typeof body === "string" ? body : body instanceof Uint8Array ? Buffer.from(body).toString() : ""

/** Connects a client to a command over a WebSocket; what prevents that is said over it too. */
const serveChannels = (
  call: Call,
  upgrade: UpgradeConnection,
  kubelets: NodeProxy,
  address: KubeletAddress,
  request: KubeletRequest
) => {
  const channels = openChannels(channelsRequest(call, upgrade))
  if (channels === undefined) return
  const deliver: KubeletReply = (answer) => {
    if (Result.isFailure(answer)) {
      return channels.fail(internalError(`unable to upgrade connection: error dialing backend: ${answer.failure}`))
    }
    const { body, code } = answer.success
    if (!isRelayed(body) && isStream(body) && code === 101) channels.connect(body)
    else channels.fail(internalError(`unable to upgrade connection: ${textOf(answer.success)}`))
  }
  kubelets.send(call, address, request, deliver, (status) => channels.fail(status))
}

/** Connects a client to what its kubelet answered, or tells it why not. */
const connect = (call: Call, upgrade: UpgradeConnection, answer: KubeletAnswer) => {
  const { body, code } = answer
  if (isRelayed(body)) return sendRelayedUpgrade(call, upgrade, answer)
  if (code !== 101 || (!isStream(body) && !isPorts(body))) return sendRefusedStream(call, answer)
  const refusal = connectUpgrade(channelsRequest(call, upgrade), body, call.query.byName().get("ports"))
  if (refusal === undefined) return
  for (const [name, value] of Object.entries(refusal.headers)) call.response.setHeader(name, value)
  send(call, refusal.code, "text/plain; charset=utf-8", refusal.text)
}

/** The name of the node's feature of a kubelet that talks WebSocket itself. */
const WEB_SOCKETS = "ExtendWebSocketsToKubelet"

/** Asks the kubelet for a stream (exec, attach, portforward). */
export const serveStream = (call: Call, pod: Pod, { kubelets, nodeNamed }: PodConnections) => {
  const { name, subresource } = call.info
  const isForward = subresource === "portforward"
  const container = isForward ? Result.succeed("") : containerOf(pod, call.query.text("container") ?? "")
  if (Result.isFailure(container)) return sendStatus(call, container.failure)
  const { nodeName } = pod.spec
  if (!nodeName) return sendStatus(call, badRequest(`pod ${name} does not have a host assigned`))
  const target = podKubelet(nodeName, nodeNamed, kubelets.addressing)
  if (Result.isFailure(target)) return sendStatus(call, target.failure)
  if (!isUpgrade(call)) return sendStatus(call, badRequest("Upgrade request required"))
  const request = streamRequest(call, container.success, kubelets.relays(nodeName))
  const upgrade = upgradeOf(call.request)
  const isTranslated =
    !isForward &&
    isWebSocketRequest(call.request.headers) &&
    nodeNamed(nodeName)?.status?.declaredFeatures?.includes(WEB_SOCKETS) !== true
  if (upgrade !== undefined && isTranslated && request.upgrade === undefined) {
    return serveChannels(call, upgrade, kubelets, target.success, request)
  }
  kubelets.send(call, target.success, request, (answer) => {
    if (Result.isFailure(answer)) sendStatus(call, unknownError(upgradeFailure(answer.failure)))
    else if (upgrade === undefined) sendRefusedStream(call, answer.success)
    else connect(call, upgrade, answer.success)
  })
}

/** Returns the request for a stream at a kubelet. Upstream: pkg/registry/core/pod/strategy.go, streamLocation. */
const streamRequest = (call: Call, container: string, isRelay: boolean): KubeletRequest => {
  const { info, query, request } = call
  const { name, namespace, subresource } = info
  const isForward = subresource === "portforward"
  const path = isForward ? `/portForward/${namespace}/${name}` : `/${subresource}/${namespace}/${name}/${container}`
  const asked = { method: request.method ?? "GET", path, query: streamQuery(query, isForward), body: new Uint8Array() }
  if (!isRelay) return asked
  return { ...asked, ...forwardedPart(call), upgrade: call.header("upgrade") ?? "" }
}

/** The parameters of a kubelet for what a client asks for. */
const streamFlags = [
  ["stdin", "input"],
  ["stdout", "output"],
  ["stderr", "error"],
  ["tty", "tty"]
] as const

/** Returns the query of a stream at a kubelet. Upstream: streamParams. */
const streamQuery = (query: Query, isForward: boolean): KubeletRequest["query"] => {
  const ports = query.all("ports")
  if (isForward) return new Map(ports.length === 0 ? [] : [["port", [ports.join(",")]]])
  const flags = streamFlags.flatMap(([asked, name]) => (query.flag(asked) === true ? [[name, ["1"]] as const] : []))
  const command = query.all("command")
  return new Map<string, ReadonlyArray<string>>([
    ...flags,
    ...(command.length === 0 ? [] : [["command", command] as const])
  ])
}
