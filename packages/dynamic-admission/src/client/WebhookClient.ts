import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http"
import { type Agent, request as httpsRequest } from "node:https"
import { rootCertificates } from "node:tls"
import type { WebhookClientConfig } from "@rollcall/api"
import { caBundleFault } from "@rollcall/api/validation"
import type { Fields } from "@rollcall/api/values"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { CallFault, WebhookCaller } from "../ports.ts"
import { type CallResult, fault, readAnswer } from "./answer.ts"
import { GuardedCall } from "./GuardedCall.ts"
import { goErrorText } from "./goErrors.ts"
import { type Hop, redirection } from "./redirection.ts"
import { type FailedRequest, mayRepeat } from "./repeat.ts"
import { addressOf, type ServiceObjects, type WebhookAddress } from "./serviceAddress.ts"
import { VerifyingAgent } from "./verifiedConnection.ts"

/** The maximum size of an answer: an object of the largest size, and a patch of it. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024
/** How many agents with open connections are kept; upstream keeps as many clients. */
const MAX_AGENTS = 200
const MAX_IDLE_SOCKETS = 25
/** How many calls of one webhook are open at once; further ones wait, within their timeout. */
const MAX_SOCKETS = 256

/** The failure of a call whose handling threw; the log says why. */
const failedInside = (): Result.Result<never, CallFault> =>
  Result.fail({ message: "internal error", code: 500, isUnsent: false })

/**
 * Calls webhooks over HTTPS. Connections stay open for later calls. An error in a callback of a socket ends that call, and
 * is logged and counted. Upstream: apiserver/pkg/util/webhook/client.go.
 */
export class WebhookClient implements WebhookCaller {
  private readonly objects: ServiceObjects
  private readonly timers: TimersShape
  private readonly agents = new Map<string, Agent>()

  constructor(objects: ServiceObjects, timers: TimersShape) {
    this.objects = objects
    this.timers = timers
  }

  /** Sends a body to a webhook. Calls `done` once, with what `read` makes of the object that the webhook answers. */
  call<A>(
    config: WebhookClientConfig,
    body: object,
    timeoutSeconds: number,
    read: (answer: Fields) => A,
    done: (result: Result.Result<A, CallFault>) => void
  ): void {
    const { service, url = "" } = config
    const webhook = service === undefined ? url : `${service.namespace}/${service.name}`
    const call = new GuardedCall(this.timers, "webhook", { webhook }, done)
    call.run(
      () => this.send(config, body, timeoutSeconds, call, (answer) => call.finish(Result.map(answer, read))),
      failedInside
    )
  }

  private send<A>(
    config: WebhookClientConfig,
    body: object,
    timeoutSeconds: number,
    call: GuardedCall<Result.Result<A, CallFault>>,
    finish: (answer: CallResult) => void
  ): void {
    // Node ignores what are no certificates, and Go refuses them.
    const bundleFault = caBundleFault(config.caBundle ?? "")
    if (bundleFault !== undefined) {
      finish(Result.fail({ message: `could not get REST client: ${bundleFault}`, code: 500, isUnsent: true }))
      return
    }
    const { connectTo, text: place, url } = addressOf(config, this.objects)
    url.searchParams.set("timeout", `${timeoutSeconds}s`)
    if (Result.isFailure(connectTo)) {
      finish(fault(`Post ${JSON.stringify(`${place}${url.search}`)}: ${connectTo.failure}`))
      return
    }
    const first: Hop = { method: "POST", url, earlier: 0, headers: {} }
    const payload = Buffer.from(JSON.stringify(body))
    const signal = AbortSignal.timeout(timeoutSeconds * 1000)
    const ask = (hop: Hop, isRepeat = false): void => {
      const last = hop === first ? `${place}${url.search}` : hop.url.href
      const failed = (text: string, at = last) => finish(fault(`Post ${JSON.stringify(at)}: ${text}`))
      const request = this.request(config, hop, hop.url.host === url.host ? connectTo.success : undefined, {
        signal,
        payload
      })
      const { method } = hop
      let writtenBefore = 0
      request.on("socket", ({ bytesWritten }) => {
        writtenBefore = bytesWritten
      })
      request.on("error", (error: Error & FailedRequest["error"]) => {
        const { reusedSocket, socket } = request
        const handedBytes = (socket?.bytesWritten ?? Infinity) - writtenBefore
        const isStale = !isRepeat && mayRepeat({ method, reusedSocket, handedBytes, error })
        const fail = () => failed(isTimeout(error) ? "context deadline exceeded" : goErrorText(error))
        call.run(() => (isStale ? ask(hop, true) : fail()), failedInside)
      })
      request.on("response", (response) => {
        const run = (part: () => void) => {
          call.run(part, failedInside)
          // The connection of a whole answer stays open.
          if (call.isOver && !response.complete) request.destroy()
        }
        const next = redirection(hop, response.statusCode ?? 0, response.headers.location)
        if (next === undefined) return run(() => readResponse(response, run, finish))
        response.resume()
        run(() => ("fault" in next ? failed(next.fault, next.place) : ask(next)))
      })
      request.end(hop.method === "POST" ? payload : undefined)
    }
    ask(first)
  }

  private request(
    config: WebhookClientConfig,
    { headers, method, url }: Hop,
    address: WebhookAddress["connectTo"],
    { payload, signal }: { readonly payload: Buffer; readonly signal: AbortSignal }
  ): ClientRequest {
    const isSecure = url.protocol === "https:"
    return (isSecure ? httpsRequest : httpRequest)({
      method,
      host: address?.host ?? url.hostname.replace(/^\[|\]$/g, ""),
      port: address?.port ?? (url.port || (isSecure ? 443 : 80)),
      path: `${url.pathname}${url.search}`,
      ...(isSecure && { agent: this.agentOf(config, url.hostname) }),
      signal,
      headers: {
        ...headers,
        host: url.host,
        accept: "application/json, */*",
        "user-agent": "kube-apiserver-admission",
        ...(method === "POST" && { "content-type": "application/json", "content-length": payload.length })
      }
    })
  }

  /** Returns the connections to servers with these certificates and this name. */
  private agentOf({ caBundle = "", service }: WebhookClientConfig, hostname: string): Agent {
    const name = service === undefined ? hostname : `${service.name}.${service.namespace}.svc`
    const key = `${name} ${caBundle}`
    const known = this.agents.get(key)
    if (known !== undefined) return known
    const oldest = this.agents.keys().next().value
    if (this.agents.size >= MAX_AGENTS && oldest !== undefined) {
      this.agents.get(oldest)?.destroy()
      this.agents.delete(oldest)
    }
    const agent = new VerifyingAgent(
      {
        keepAlive: true,
        maxFreeSockets: MAX_IDLE_SOCKETS,
        maxSockets: MAX_SOCKETS,
        servername: /^[\d.]+$|:/.test(name) ? "" : name
      },
      {
        bundle: caBundle === "" ? rootCertificates.join("\n") : Buffer.from(caBundle, "base64").toString(),
        now: () => this.timers.now()
      }
    )
    this.agents.set(key, agent)
    return agent
  }
}

/** Reads a whole answer; `run` runs what its events cause. */
const readResponse = (
  response: IncomingMessage,
  run: (part: () => void) => void,
  finish: (answer: CallResult) => void
): void => {
  const chunks: Array<Buffer> = []
  let size = 0
  response.on("data", (chunk: Buffer) => {
    size += chunk.length
    if (size <= MAX_RESPONSE_BYTES) chunks.push(chunk)
    else run(() => finish(fault(`the answer is larger than ${MAX_RESPONSE_BYTES} bytes`)))
  })
  response.on("end", () => {
    const type = response.headers["content-type"] ?? ""
    run(() => finish(readAnswer(response.statusCode ?? 0, type, Buffer.concat(chunks).toString())))
  })
  response.on("error", (error) =>
    run(() => finish(fault(isTimeout(error) ? "context deadline exceeded" : "unexpected EOF")))
  )
}

const isTimeout = (error: Error): boolean => error.name === "TimeoutError" || error.name === "AbortError"
