import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { Connections } from "@rollcall/api-server/http"
import {
  type Kubelet,
  type KubeletResponse,
  type KubeletStream,
  type SettledResponse,
  whenAnswered
} from "@rollcall/kubelet"
import { connectUpgrade, type UpgradeConnection } from "@rollcall/streams"
import type { Access, Caller } from "../secure/Access.ts"
import { apiVerb, nodeSubresources } from "./nodeSubresources.ts"
import { OpenStreams } from "./OpenStreams.ts"

/** A kubelet as its port serves it; it may answer with `UNREACHED`. */
export type ServedKubelet = Pick<Kubelet, "name" | "running" | "serve">

/** In place of a response: the connection is broken off, as that to a machine that is off. */
export const UNREACHED: SettledResponse = { code: 0, contentType: "", body: "" }

/** What a handler needs of its kubelets, and of what decides about callers. */
export interface KubeletHandlerOptions {
  /** The kubelet, or the one of a port; undefined for a port that has none any more. */
  readonly kubelet: ServedKubelet | ((port: number | undefined) => ServedKubelet | undefined)
  readonly access: Pick<Access, "callerOf" | "decide">
  /** Whether requests without a credential are let through to authorization. */
  readonly allowsAnonymous: boolean
  /** Whether every caller may do everything (`authorization.mode: AlwaysAllow`). */
  readonly allowsAll: boolean
  /** The gate KubeletFineGrainedAuthz. */
  readonly isFineGrained: boolean
  /** The pages of its process, in place of the kubelet's. */
  readonly pages?: Readonly<Record<string, () => { readonly type: string; readonly body: string }>>
  /** Whether it serves the read-only port. */
  readonly isReadOnly?: boolean
  /** Overrides how many streams may be open. */
  readonly mostStreams?: number
}

const ANONYMOUS = "system:anonymous"
const TEXT = "text/plain; charset=utf-8"
export const REQUEST_TIMEOUT_MS = 30_000
const MAX_STREAMS = 400
const MAX_UNREAD_BYTES = 64 * 1024
/** What answers hold together until their clients have read them; small ones do not count. */
const MAX_ANSWERED = 64 * 1024 * 1024
const SMALL_ANSWER = 16 * 1024
const MAX_URL = 16 * 1024

type Headers = Readonly<Record<string, string>>

export const send = (
  response: ServerResponse,
  code: number,
  body: string,
  type = TEXT,
  headers: Readonly<Record<string, string>> = {}
): void => {
  if (response.headersSent || response.destroyed) return
  const typed = type === "" ? {} : { "Content-Type": type }
  response.writeHead(code, { ...headers, ...typed, "X-Content-Type-Options": "nosniff" })
  response.end(body)
}

const textAnswer = (code: number, body: string): SettledResponse => ({ code, contentType: TEXT, body })

const STOPPED = textAnswer(503, "the kubelet is stopped")

/** Answers a request for another protocol without agreeing to it. */
export const refuse = (
  socket: Duplex,
  code: number,
  body: string,
  headers: Readonly<Record<string, string>> = {}
): void => {
  // An import of node:http would load the whole fetch.
  const { STATUS_CODES } = process.getBuiltinModule("node:http")
  const lines = [
    `HTTP/1.1 ${code} ${STATUS_CODES[code]}`,
    "Connection: close",
    `Content-Type: ${TEXT}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  ]
  // No timeout of the server ends it.
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy())
}

/** Requests for the paths that may change the protocol; others are answered without. */
export const mayUpgrade = ({ url = "" }: Pick<IncomingMessage, "url">): boolean =>
  /^\/(?:exec|attach|portForward)\//.test(url)

/** Upstream: apimachinery/pkg/util/proxy, with `upgradeRequired`. */
const UPGRADE_REQUIRED = "Upgrade request required\n"
const BUSY = "Too many requests, please try again later."

/** Serves one kubelet over HTTPS to callers that its API server knows and allows. */
export class KubeletHandler {
  private readonly options: KubeletHandlerOptions
  private readonly handleError: (error: unknown) => void
  private readonly connections: Connections
  private readonly streams: OpenStreams
  private readonly answers = new OpenStreams(MAX_ANSWERED)
  /** The end of the answer before, by connection. */
  private readonly answering = new WeakMap<Socket, Promise<void>>()

  constructor(options: KubeletHandlerOptions, connections: Connections, handleError: (error: unknown) => void) {
    this.options = options
    this.connections = connections
    this.handleError = handleError
    this.streams = new OpenStreams(options.mostStreams ?? MAX_STREAMS)
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.count(request, response)
    // No path reads a body.
    request.resume()
    await this.turnOf(request.socket, response)
    if (response.destroyed) return
    const { answer, user } = await this.answerTo(request, response)
    if (answer === UNREACHED) {
      response.destroy()
      return
    }
    const { body, code, contentType, headers } = answer
    if (typeof body === "string") this.send(user, response, code, body, contentType, headers)
    else if (code === 101 || !("open" in body)) send(response, 500, UPGRADE_REQUIRED)
    else this.stream(user, response, contentType, body)
  }

  private send(
    user: string,
    response: ServerResponse,
    code: number,
    body: string,
    type: string,
    headers?: Headers
  ): void {
    const isSmall = body.length < SMALL_ANSWER
    const read = isSmall ? () => {} : this.answers.open(user, () => response.destroy(), body.length)
    if (read === undefined) {
      send(response, 429, BUSY)
      return
    }
    response.on("close", read)
    send(response, code, body, type, headers)
  }

  /** Waits until the client has read the answers before: requests that it sends ahead are not computed for nobody. */
  private turnOf(socket: Socket, response: ServerResponse): Promise<void> | undefined {
    const before = this.answering.get(socket)
    this.answering.set(socket, new Promise((resolve) => response.on("close", resolve)))
    return before
  }

  /** Handles a request for another protocol: a command in a container, or its ports, over a WebSocket or SPDY. */
  async upgrade(request: IncomingMessage, upgrade: UpgradeConnection): Promise<void> {
    const { socket } = upgrade
    // Node's timeouts end with the request.
    socket.setTimeout(REQUEST_TIMEOUT_MS, () => socket.destroy())
    this.count(request, socket)
    const { answer, user } = await this.answerTo(request, socket)
    if (answer === UNREACHED) socket.destroy()
    if (socket.destroyed) return
    const { body, code } = answer
    if (typeof body === "string") return refuse(socket, code, body)
    if (code !== 101) return refuse(socket, 400, "400 Bad Request")
    const ended = this.streams.open(user, () => socket.destroy())
    if (ended === undefined) return refuse(socket, 429, BUSY)
    const { headers } = request
    const guard = (act: () => void) => {
      try {
        act()
      } catch (error) {
        this.handleError(error)
        socket.destroy()
      }
    }
    socket.on("close", ended)
    const refusal = connectUpgrade(
      { headers, upgrade, answered: () => {}, sent: () => {}, guard },
      body,
      portsIn(request.url ?? "")
    )
    if (refusal !== undefined) refuse(socket, refusal.code, refusal.text, refusal.headers)
  }

  /** Counts a request of a connection until it is over. */
  private count({ socket }: IncomingMessage, over: Duplex | ServerResponse): void {
    const connection = this.connections.startRequest(socket)
    if (connection !== undefined) over.on("close", () => this.connections.endRequest(connection))
  }

  /** Returns the kubelet's answer, and the name of the caller, if it knows and allows that. */
  private async answerTo(
    request: IncomingMessage,
    over: Duplex | ServerResponse
  ): Promise<{ readonly answer: SettledResponse; readonly user: string }> {
    const caller = await this.options.access.callerOf(request)
    const response = await this.answerFor(caller, request)
    const answer = await new Promise<SettledResponse>((resolve) => {
      const giveUp = whenAnswered(response, resolve)
      over.on("close", () => {
        giveUp()
        resolve(UNREACHED)
      })
    })
    return { answer, user: caller?.user ?? ANONYMOUS }
  }

  private kubeletOf({ socket }: IncomingMessage): ServedKubelet | undefined {
    const { kubelet } = this.options
    return typeof kubelet === "function" ? kubelet(socket.localPort) : kubelet
  }

  private async answerFor(caller: Caller | undefined, request: IncomingMessage): Promise<KubeletResponse> {
    const { allowsAll, allowsAnonymous, isReadOnly = false, pages = {} } = this.options
    const kubelet = this.kubeletOf(request)
    if (kubelet === undefined) return UNREACHED
    const url = request.url ?? "/"
    if (url.length > MAX_URL) return textAnswer(414, "URI Too Long")
    const mark = url.indexOf("?")
    const path = decoded(mark < 0 ? url : url.slice(0, mark))
    if (path === undefined) return textAnswer(400, "400 Bad Request")
    if (caller === undefined || (caller.user === ANONYMOUS && !allowsAnonymous)) return textAnswer(401, "Unauthorized")
    if (caller.user !== ANONYMOUS) this.connections.identify(request.socket, caller.user)
    const method = request.method ?? "GET"
    const refusal = allowsAll ? undefined : await this.refusal(caller, method, path, kubelet.name)
    if (refusal !== undefined) return textAnswer(refusal.code, refusal.text)
    const parameters = new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1))
    const query = new Map([...parameters.keys()].map((name) => [name, parameters.getAll(name)]))
    if (!kubelet.running) return STOPPED
    const page = Object.hasOwn(pages, path) ? pages[path]?.() : undefined
    return page === undefined
      ? kubelet.serve({ method, path, query, ...(isReadOnly ? { isReadOnly } : {}) })
      : { code: 200, contentType: page.type, body: page.body }
  }

  private stream(user: string, response: ServerResponse, contentType: string, stream: KubeletStream): void {
    if (response.destroyed) return
    const ended = this.streams.open(user, () => response.destroy())
    if (ended === undefined) {
      send(response, 429, BUSY)
      return
    }
    // A log may be silent for long.
    response.socket?.setTimeout(0)
    response.writeHead(200, { "Content-Type": contentType, "X-Content-Type-Options": "nosniff" })
    response.flushHeaders()
    const input = stream.open({
      write: (_, text) => void response.write(text),
      isFull: () => response.writableLength > MAX_UNREAD_BYTES,
      end: () => void response.end()
    })
    response.on("close", () => {
      ended()
      input.close()
    })
  }

  private async refusal(
    caller: Caller,
    method: string,
    path: string,
    node: string
  ): Promise<{ readonly code: number; readonly text: string } | undefined> {
    const { access, isFineGrained } = this.options
    const verb = apiVerb(method)
    const subresources = nodeSubresources(path, isFineGrained)
    try {
      for (const subresource of subresources) {
        const { allowed } = await access.decide(caller, verb, path, { node, subresource })
        if (allowed) return undefined
      }
    } catch {
      const text = `Authorization error (user=${caller.user}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(" ")}])`
      return { code: 500, text }
    }
    const text = `Forbidden (user=${caller.user}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(" ")}])\n`
    return { code: 403, text }
  }
}

/** Returns the ports that a request names for its channels. */
const portsIn = (url: string): ReadonlyArray<string> | undefined => {
  const found = new URLSearchParams(url.slice(url.indexOf("?") + 1)).getAll("port")
  return found.length === 0 ? undefined : found
}

const decoded = (path: string): string | undefined => {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
