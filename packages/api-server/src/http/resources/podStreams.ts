import { badRequest, internalError, type Pod } from "@rollcall/api"
import { isStream, openChannels, type UpgradeConnection, upgradeOf } from "@rollcall/streams"
import { isWebSocketRequest } from "@rollcall/streams/request"
import * as Result from "effect/Result"
import type { Call } from "../call/Call.ts"
import { sendStatus } from "../call/respond.ts"
import { forwardedPart } from "../relay/forwardedHeaders.ts"
import type { Query } from "../request/Query.ts"
import { channelsRequest, sendUpgraded } from "./connectStream.ts"
import { isUpgrade, type NodeProxy } from "./NodeProxy.ts"
import { containerOf, type PodConnections, podKubelet } from "./podKubelet.ts"
import {
  isRelayed,
  type KubeletAddress,
  type KubeletAnswer,
  type KubeletReply,
  type KubeletRequest
} from "./proxy/KubeletTransport.ts"

/*
 * The subresources of pods that change the protocol of their connection: exec, attach and portforward. Upstream:
 * pkg/registry/core/pod/rest/subresources.go, pkg/registry/core/pod/strategy.go.
 */

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
  const ports = call.query.byName().get("ports")
  kubelets.send(call, target.success, request, (answer) => sendUpgraded(call, answer, ports))
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
