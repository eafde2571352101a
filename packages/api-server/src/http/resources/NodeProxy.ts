import { type Node, type Status, serviceUnavailable, tooManyRequests } from "@rollcall/api"
import { isStream } from "@rollcall/streams"
import * as Result from "effect/Result"
import type { KindState } from "../../core/registry/KindState.ts"
import type { Call } from "../call/Call.ts"
import { send, sendStatus } from "../call/respond.ts"
import { forwardedPart } from "../relay/forwardedHeaders.ts"
import { negotiate } from "../request/mediaTypes.ts"
import { sendUpgraded } from "./connectStream.ts"
import {
  ADDRESS_NOT_ALLOWED,
  defaultAddressing,
  isRelayed,
  type KubeletAddress,
  type KubeletAddressing,
  type KubeletAnswer,
  type KubeletReply,
  type KubeletRequest,
  type KubeletTransportShape
} from "./proxy/KubeletTransport.ts"
import { NOT_ALLOWED, proxyPath, proxyTarget } from "./proxy/proxyTarget.ts"
import { locationFor, passRelayed } from "./proxy/relayedAnswers.ts"
import { sendKubeletAnswer } from "./proxy/sendKubeletAnswer.ts"

/** The maximum number of requests that wait for kubelets: a disconnected node holds each for half a minute. */
const MAX_WAITING = 1_000
const MAX_WAITING_OF_USER = 100

/**
 * Forwards requests for `nodes/proxy` to kubelets. Upstream they are long-running and have no seat in flow control.
 * Here they leave their seat when they begin to wait, and their number is limited. Upstream:
 * apimachinery/pkg/util/proxy.
 */
export class NodeProxy {
  private readonly transport: KubeletTransportShape
  /** The number of waiting requests by user, and in total. */
  private readonly waiting = new Map<string, number>()
  private waitingInTotal = 0

  constructor(transport: KubeletTransportShape) {
    this.transport = transport
  }

  /** The number of requests that wait for a kubelet. */
  get pending(): number {
    return this.waitingInTotal
  }

  /** How the address of a node's kubelet is found. */
  get addressing(): KubeletAddressing {
    return this.transport.addressing ?? defaultAddressing
  }

  /** Whether the processes of a node are dialled. */
  relays(node: string): boolean {
    return this.transport.relays?.(node) === true
  }

  /** Serves a request for a node; `asked` is what its path says after `proxy`. */
  serve(call: Call, { cache }: KindState, asked: string) {
    call.negotiated = negotiate(call.header("accept"), "objects")
    const nodeNamed = (name: string) => cache.get("", name)?.object as Node | undefined
    const target = proxyTarget(call.info.name, nodeNamed, this.addressing)
    if (Result.isFailure(target)) return sendStatus(call, target.failure)
    this.forward(call, target.success, asked)
  }

  /** Passes a client's request on to an address, and the answer back. */
  forward(call: Call, address: KubeletAddress, asked: string) {
    const { query, request } = call
    const isRelay = this.relays(address.node)
    const upgrade = isUpgrade(call) ? (call.header("upgrade") ?? "") : undefined
    const method = request.method ?? "GET"
    const path = proxyPath(asked)
    if (upgrade === undefined && path === "" && (method === "GET" || method === "HEAD")) return redirectToSlash(call)
    const sent = { method, path: path === "" ? "/" : path, query: query.byName(), body: call.body }
    const forwarded = isRelay ? { ...sent, ...forwardedPart(call) } : sent
    if (upgrade === undefined) return this.send(call, address, forwarded)
    const ports = query.byName().get("port")
    this.send(call, address, { ...forwarded, upgrade }, (answer) => sendUpgraded(call, answer, ports))
  }

  /**
   * Sends a request to a kubelet, and its answer to the client; `deliver` sends it in another form, and `refuse` the
   * refusal of one request too many.
   */
  send(
    call: Call,
    address: KubeletAddress,
    request: KubeletRequest,
    deliver: KubeletReply = (answer) => sendAnswer(call, address, answer),
    refuse: (status: Status) => void = (status) => sendStatus(call, status)
  ) {
    const { user } = call.identity
    if (!this.mayWait(user)) return refuse(TOO_MANY)
    let isWaiting = true
    let isAnswered = false
    /** Ends the wait once; returns whether it had not ended. */
    const endWait = () => {
      if (!isWaiting) return false
      isWaiting = false
      this.count(user, -1)
      return true
    }
    const reply: KubeletReply = (answer) => {
      if (!isWaiting || isAnswered) return
      isAnswered = true
      // A stream counts until its connection closes.
      if (Result.isFailure(answer) || !goesOn(answer.success.body)) endWait()
      call.guard(() => deliver(answer))
    }
    this.count(user, 1)
    let cancel: () => void
    try {
      cancel = this.transport.send(address, request, reply)
    } catch (error) {
      endWait()
      throw error
    }
    if (!isWaiting || call.response.destroyed) {
      endWait()
      return
    }
    call.place?.leave()
    call.response.on("close", () => {
      if (endWait()) call.guard(cancel)
    })
  }

  private mayWait(user: string): boolean {
    return this.waitingInTotal < MAX_WAITING && (this.waiting.get(user) ?? 0) < MAX_WAITING_OF_USER
  }

  private count(user: string, change: 1 | -1): void {
    this.waitingInTotal += change
    const next = (this.waiting.get(user) ?? 0) + change
    if (next > 0) this.waiting.set(user, next)
    else this.waiting.delete(user)
  }
}

const TOO_MANY: Status = tooManyRequests("Too many requests, please try again later.", 1)

/** Upstream: k8s.io/streaming/pkg/httpstream IsUpgradeRequest. */
export const isUpgrade = (call: Call): boolean => (call.header("connection") ?? "").toLowerCase().includes("upgrade")

/**
 * Redirects to a trailing slash: otherwise the relative links of a page at the root of a kubelet would be wrong.
 * Upstream: proxyRedirectsforRootPath.
 */
const redirectToSlash = (call: Call): void => {
  const url = call.request.url ?? ""
  const mark = url.indexOf("?")
  const query = mark < 0 ? "" : url.slice(mark)
  call.response.setHeader("Location", `${encodeURI(call.info.path)}/${query}`)
  send(call, 301, "text/plain; charset=utf-8", "")
}

/** Whether an answer lasts longer than its head. */
const goesOn = (body: KubeletAnswer["body"]): boolean => isRelayed(body) || isStream(body)

const sendAnswer = (call: Call, address: KubeletAddress, answer: Parameters<KubeletReply>[0]) => {
  if (Result.isFailure(answer)) {
    if (answer.failure === ADDRESS_NOT_ALLOWED) return sendStatus(call, NOT_ALLOWED)
    return sendStatus(call, serviceUnavailable(`error trying to reach service: ${answer.failure}`))
  }
  const { body, headers = {} } = answer.success
  if (isRelayed(body)) return passRelayed(call, address, body.message)
  for (const [name, value] of Object.entries(headers)) {
    call.response.setHeader(name, name === "Location" ? locationFor(call, address, value) : value)
  }
  sendKubeletAnswer(call, answer.success)
}
