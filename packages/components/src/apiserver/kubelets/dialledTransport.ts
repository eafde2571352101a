import type { ClientRequest, IncomingMessage, Agent as PlainAgent } from "node:http"
import { Agent, request as secureRequest } from "node:https"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import {
  hostPort,
  type KubeletAddress,
  type KubeletAddressing,
  type KubeletReply,
  type KubeletRequest,
  type KubeletTransportShape
} from "@rollcall/api-server/http"
import { GuardedCall, goErrorText } from "@rollcall/dynamic-admission/client"
import type { KeyAndCertificate } from "@rollcall/pki"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import { foreignLookup } from "./foreignLookup.ts"
import { watchDial } from "./watchDial.ts"
import { wirePath } from "./wirePath.ts"

export interface DialledTransportOptions {
  /** Timers of the wall clock. */
  readonly timers: TimersShape
  /** The certificate by which kubelets know this server. */
  readonly client: () => KeyAndCertificate | undefined
  /** The authorities of the kubelets' certificates; without them these are not verified. */
  readonly authorityPem?: string | undefined
  readonly addressing?: KubeletAddressing | undefined
  /** Overrides upstream's limits of a dial. */
  readonly dialMs?: number
  readonly handshakeMs?: number
}

export interface DialledTransport extends KubeletTransportShape {
  /** Closes the connections that are kept for later requests. */
  readonly close: () => void
}

/** Upstream: client-go/transport/cache.go, the dialer; apimachinery/pkg/util/net SetTransportDefaults. */
const DIAL_MS = 30_000
const HANDSHAKE_MS = 10_000
/** How long a connection is kept for the next request. Upstream: Go's http.DefaultTransport. */
const IDLE_MS = 90_000
/** Upstream: client-go/transport, idleConnsPerHost is 25; a proxied request is rare. */
const MAX_IDLE = 4

/** The methods of requests that say how long their body is, also if that is empty. */
const bodied: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"])

/** The size of the largest head of an answer. Go's client reads ten megabytes. */
const MAX_HEAD_BYTES = 128 * 1024

const kept = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: MAX_IDLE }

/** Requests that may be sent again on a new connection, if the one that was kept has been closed. */
const repeatable: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"])

/**
 * Dials kubelets, and other processes of nodes and pods, whose answers are passed on as they come. Upstream:
 * pkg/kubelet/client/kubelet_client.go, pkg/controlplane/apiserver/config.go CreateProxyTransport.
 */
class Dialler implements DialledTransport {
  readonly addressing?: KubeletAddressing
  private readonly options: DialledTransportOptions
  /** Of other processes than kubelets: no certificate is theirs to see, and none of theirs is verified. */
  private plain: PlainAgent | undefined
  private readonly unverified = new Agent({ ...kept, rejectUnauthorized: false })
  private kubelets: { readonly client: KeyAndCertificate | undefined; readonly agent: Agent } | undefined

  constructor(options: DialledTransportOptions) {
    this.options = options
    if (options.addressing !== undefined) this.addressing = options.addressing
  }

  readonly relays = (): boolean => true

  readonly send = (address: KubeletAddress, request: KubeletRequest, reply: KubeletReply): (() => void) => {
    const { node } = address
    let isCancelled = false
    const call = new GuardedCall<Parameters<KubeletReply>[0]>(
      this.options.timers,
      "answer of a kubelet",
      { node },
      (answer) => isCancelled || reply(answer)
    )
    let end = this.begin(address, request, call, () => {
      if (!isCancelled) end = this.begin(address, request, call, undefined)
    })
    return () => {
      isCancelled = true
      end()
    }
  }

  readonly close = (): void => {
    for (const agent of [this.plain, this.unverified, this.kubelets?.agent]) agent?.destroy()
  }

  /** Sends a request; `again` begins it anew if the connection that was kept for it had been closed. */
  private begin(
    address: KubeletAddress,
    request: KubeletRequest,
    call: GuardedCall<Parameters<KubeletReply>[0]>,
    again: (() => void) | undefined
  ): () => void {
    const sent = this.open(address, request)
    const { dialMs = DIAL_MS, handshakeMs = HANDSHAKE_MS, timers } = this.options
    const failed = () => Result.fail("internal error")
    watchDial(timers, sent, { dialMs, handshakeMs, dialled: hostPort(address) })
    sent.on("error", (error: Error & { readonly code?: string }) => {
      const isStale = sent.reusedSocket && error.code === "ECONNRESET" && repeatable.has(request.method)
      call.run(() => (isStale && again !== undefined ? again() : call.finish(Result.fail(textOf(error)))), failed)
    })
    const answered = (message: IncomingMessage, upgraded?: { readonly socket: Duplex; readonly head: Buffer }) => {
      // An answer that breaks off later is an error for the reader of its body.
      message.on("error", () => {})
      const { headers, statusCode: code = 0 } = message
      const body = { message, ...(upgraded === undefined ? {} : { upgraded }) }
      call.finish(Result.succeed({ code, contentType: headers["content-type"] ?? "", body }))
    }
    sent.on("response", (message) => answered(message))
    sent.on("upgrade", (message, socket, head) => {
      socket.on("error", () => socket.destroy())
      if (request.upgrade === undefined) {
        socket.destroy()
        const protocol = JSON.stringify(message.headers.upgrade ?? "")
        call.finish(Result.fail(`backend tried to switch protocol ${protocol} when "" was requested`))
        return
      }
      ;(socket as Socket).setTimeout(0)
      answered(message, { socket, head })
    })
    sent.end(request.body.length === 0 ? undefined : request.body)
    return () => sent.destroy()
  }

  private open(
    address: KubeletAddress,
    { body, headers = [], host: asked, method, path, query, upgrade }: KubeletRequest
  ): ClientRequest {
    const { host, isForeignOnly, isKubelet, port, scheme } = address
    const options = {
      method,
      host,
      port,
      path: wirePath(path, query),
      maxHeaderSize: MAX_HEAD_BYTES,
      ...(isForeignOnly === true ? { lookup: foreignLookup } : {}),
      // As an array, since one name may have several values.
      headers: [
        ...["Host", asked ?? hostPort(address)],
        ...headers,
        ...(headers.length === 0 ? ["User-Agent", "kube-apiserver"] : []),
        ...(upgrade === undefined ? [] : ["Connection", "Upgrade", "Upgrade", upgrade]),
        // Otherwise Node sends the end of a body in chunks, which would be the first bytes of another protocol.
        ...(body.length > 0 || bodied.has(method) ? ["Content-Length", String(body.length)] : [])
      ]
    }
    if (isKubelet) return secureRequest({ ...options, agent: this.agentOfKubelets() })
    if (scheme === "https") return secureRequest({ ...options, agent: this.unverified })
    // An import of node:http would load the whole fetch.
    const http = process.getBuiltinModule("node:http")
    this.plain ??= new http.Agent(kept)
    return http.request({ ...options, agent: this.plain })
  }

  private agentOfKubelets(): Agent {
    const { authorityPem, client: clientOf } = this.options
    const client = clientOf()
    const known = this.kubelets
    if (known !== undefined && known.client?.certificatePem === client?.certificatePem) return known.agent
    known?.agent.destroy()
    const agent = new Agent({
      ...kept,
      ...(authorityPem === undefined ? { rejectUnauthorized: false } : { ca: authorityPem }),
      ...(client === undefined ? {} : { cert: client.certificatePem, key: client.keyPem })
    })
    this.kubelets = { client, agent }
    return agent
  }
}

/** Errors of this side say what they say. */
const textOf = (error: Error): string => (error.name === "DialError" ? error.message : goErrorText(error))

export const dialledTransport = (options: DialledTransportOptions): DialledTransport => new Dialler(options)
