import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:https"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { type ConnectionLimits, Connections, makeWireTimers, trackSecureConnections } from "@rollcall/api-server/http"
import { type ListenFailed, type ListenFlagNames, listenFailed } from "@rollcall/input"
import type { Kubelet, KubeletResponse, KubeletStream } from "@rollcall/kubelet"
import { connectUpgrade, type UpgradeConnection } from "@rollcall/streams"
import { loggedErrors } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Access, Caller } from "../secure/Access.ts"
import { apiVerb, nodeSubresources } from "./nodeSubresources.ts"

export interface KubeletServerOptions {
  readonly kubelet: Pick<Kubelet, "name" | "running" | "serve">
  readonly host: string
  readonly port: number
  readonly flagNames: ListenFlagNames
  /** The serving certificate and its key; asked once a minute, since it may be renewed. */
  readonly certificate: () => { readonly key: string; readonly cert: string }
  /** The CA of client certificates. */
  readonly clientCa: string
  readonly access: Pick<Access, "callerOf" | "decide">
  /** Whether requests without a credential are let through to authorization. */
  readonly allowsAnonymous: boolean
  /** Whether every caller may do everything (`authorization.mode: AlwaysAllow`). */
  readonly allowsAll: boolean
  /** The gate KubeletFineGrainedAuthz. */
  readonly isFineGrained: boolean
  /** The pages of its process, in place of the kubelet's. */
  readonly pages?: Readonly<Record<string, () => { readonly type: string; readonly body: string }>>
  /** Overrides the limits of connections. */
  readonly limits?: Partial<ConnectionLimits>
}

const ANONYMOUS = "system:anonymous"
const TEXT = "text/plain; charset=utf-8"
/** Clients that send or read too slowly are cut off. */
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000
/** How often Node looks for requests that take too long. */
const TIMEOUT_CHECK_MS = 5_000
const MAX_STREAMS = 100
const MAX_UNREAD_BYTES = 256 * 1024
const MAX_URL = 16 * 1024
const CERTIFICATE_CHECK_MS = 60_000

/** When there are too many, those without a known caller are closed first, then idle ones. */
const connectionLimits: ConnectionLimits = {
  most: 500,
  unidentified: 250,
  headerMs: HEADERS_TIMEOUT_MS,
  idleMs: 90_000,
  checkMs: 1_000
}

const send = (response: ServerResponse, code: number, body: string, type = TEXT): void => {
  if (response.headersSent || response.destroyed) return
  response.writeHead(code, { "Content-Type": type, "X-Content-Type-Options": "nosniff" })
  response.end(body)
}

const textAnswer = (code: number, body: string): KubeletResponse => ({ code, contentType: TEXT, body })

const STOPPED = textAnswer(503, "the kubelet is stopped")

/** Answers a request for another protocol without agreeing to it. */
const refuse = (socket: Duplex, code: number, body: string, headers: Readonly<Record<string, string>> = {}): void => {
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
const mayUpgrade = ({ url = "" }: Pick<IncomingMessage, "url">): boolean => /^\/(?:exec|attach|portForward)\//.test(url)

/** Upstream: apimachinery/pkg/util/proxy, with `upgradeRequired`. */
const UPGRADE_REQUIRED = "Upgrade request required\n"
const BUSY = "Too many requests, please try again later."

/** Serves one kubelet over HTTPS to callers that its API server knows and allows. */
class KubeletHandler {
  private readonly options: KubeletServerOptions
  private readonly handleError: (error: unknown) => void
  private readonly connections: Connections
  private streams = 0

  constructor(options: KubeletServerOptions, connections: Connections, handleError: (error: unknown) => void) {
    this.options = options
    this.connections = connections
    this.handleError = handleError
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.count(request, response)
    // No path reads a body.
    request.resume()
    const { body, code, contentType } = await this.answerTo(request)
    if (typeof body === "string") send(response, code, body, contentType)
    else if (code === 101 || !("open" in body)) send(response, 500, UPGRADE_REQUIRED)
    else if (this.streams >= MAX_STREAMS) send(response, 429, BUSY)
    else this.stream(response, contentType, body)
  }

  /** Handles a request for another protocol: a command in a container, or its ports, over a WebSocket or SPDY. */
  async upgrade(request: IncomingMessage, upgrade: UpgradeConnection): Promise<void> {
    const { socket } = upgrade
    // Node's timeouts end with the request.
    socket.setTimeout(REQUEST_TIMEOUT_MS, () => socket.destroy())
    this.count(request, socket)
    const { body, code } = await this.answerTo(request)
    if (socket.destroyed) return
    if (typeof body === "string") return refuse(socket, code, body)
    if (code !== 101) return refuse(socket, 400, "400 Bad Request")
    if (this.streams >= MAX_STREAMS) return refuse(socket, 429, BUSY)
    const { headers } = request
    const guard = (act: () => void) => {
      try {
        act()
      } catch (error) {
        this.handleError(error)
        socket.destroy()
      }
    }
    this.streams++
    socket.on("close", () => this.streams--)
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

  /** Returns the kubelet's answer to a caller that it knows and allows. */
  private async answerTo(request: IncomingMessage): Promise<KubeletResponse> {
    const { access, allowsAll, allowsAnonymous, kubelet, pages = {} } = this.options
    const url = request.url ?? "/"
    if (url.length > MAX_URL) return textAnswer(414, "URI Too Long")
    const mark = url.indexOf("?")
    const path = decoded(mark < 0 ? url : url.slice(0, mark))
    if (path === undefined) return textAnswer(400, "400 Bad Request")
    const caller = await access.callerOf(request)
    if (caller === undefined || (caller.user === ANONYMOUS && !allowsAnonymous)) return textAnswer(401, "Unauthorized")
    if (caller.user !== ANONYMOUS) this.connections.identify(request.socket, caller.user)
    const method = request.method ?? "GET"
    const refusal = allowsAll ? undefined : await this.refusal(caller, method, path)
    if (refusal !== undefined) return textAnswer(refusal.code, refusal.text)
    const parameters = new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1))
    const query = new Map([...parameters.keys()].map((name) => [name, parameters.getAll(name)]))
    if (!kubelet.running) return STOPPED
    const page = method === "GET" && Object.hasOwn(pages, path) ? pages[path]?.() : undefined
    return page === undefined
      ? kubelet.serve({ method, path, query })
      : { code: 200, contentType: page.type, body: page.body }
  }

  private stream(response: ServerResponse, contentType: string, stream: KubeletStream): void {
    if (response.destroyed) return
    this.streams++
    response.writeHead(200, { "Content-Type": contentType, "X-Content-Type-Options": "nosniff" })
    response.flushHeaders()
    const input = stream.open({
      write: (_, text) => void response.write(text),
      isFull: () => response.writableLength > MAX_UNREAD_BYTES,
      end: () => void response.end()
    })
    response.on("close", () => {
      this.streams--
      input.close()
    })
  }

  private async refusal(
    caller: Caller,
    method: string,
    path: string
  ): Promise<{ readonly code: number; readonly text: string } | undefined> {
    const { access, isFineGrained, kubelet } = this.options
    const verb = apiVerb(method)
    const subresources = nodeSubresources(path, isFineGrained)
    try {
      for (const subresource of subresources) {
        const { allowed } = await access.decide(caller, verb, path, { node: kubelet.name, subresource })
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

const closerOf = (socket: Socket) => ({ destroy: () => socket.destroy(), close: () => socket.destroy() })

const decoded = (path: string): string | undefined => {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/**
 * Serves the API of a kubelet until the scope closes, and returns its port. Upstream: pkg/kubelet/server/server.go,
 * ListenAndServeKubeletServer.
 */
export const kubeletServer = (options: KubeletServerOptions): Effect.Effect<number, ListenFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { certificate, clientCa: ca, flagNames, host, port } = options
    const handleError = yield* loggedErrors
    const connections = new Connections(yield* makeWireTimers, { ...connectionLimits, ...options.limits })
    const handler = new KubeletHandler(options, connections, (error) => handleError("kubelet server", error))
    const server = createServer(
      {
        ...certificate(),
        ca,
        requestCert: true,
        rejectUnauthorized: false,
        shouldUpgradeCallback: mayUpgrade,
        headersTimeout: HEADERS_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        handshakeTimeout: HEADERS_TIMEOUT_MS,
        connectionsCheckingInterval: TIMEOUT_CHECK_MS
      },
      (request, response) => {
        handler.handle(request, response).catch((error: unknown) => {
          handleError("kubelet server", error, { path: request.url })
          send(response, 500, "Internal Server Error")
        })
      }
    )
    const track = trackSecureConnections(server, connections, closerOf)
    server.prependListener("secureConnection", track)
    // Without a listener, Node cuts off requests for another protocol.
    server.on("upgrade", (request, socket, head) => {
      // Node no longer listens to the errors of such a socket: a client that resets it would end the process.
      socket.on("error", () => socket.destroy())
      handler.upgrade(request, { socket: socket as Socket, head }).catch((error: unknown) => {
        handleError("kubelet server", error, { path: request.url })
        refuse(socket, 500, "Internal Server Error")
      })
    })
    yield* Effect.acquireRelease(
      Effect.callback<void, ListenFailed>((resume) => {
        server.once("error", (error: NodeJS.ErrnoException) =>
          resume(Effect.fail(listenFailed({ code: error.code, message: error.message }, { flagNames, host, port })))
        )
        server.listen(port, host, () => resume(Effect.void))
      }),
      () =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    )
    // As when no file can be opened for another connection.
    server.on("error", (error) => handleError("kubelet server", error))
    const renew = Effect.sync(() => {
      try {
        server.setSecureContext({ ...certificate(), ca })
      } catch (error) {
        handleError("kubelet server certificate", error)
      }
    })
    yield* Effect.sleep(CERTIFICATE_CHECK_MS).pipe(Effect.andThen(renew), Effect.forever, Effect.forkScoped)
    const address = server.address()
    return typeof address === "object" && address !== null ? address.port : port
  })
