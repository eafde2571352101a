import type http from "node:http"
import https from "node:https"
import type { Readable } from "node:stream"
import { ConnectionError } from "@rollcall/cluster"
import { guarded, type TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { Credential, Credentials } from "../auth/Credentials.ts"
import type { ClientConfig } from "../ClientConfig.ts"
import { makeAgentPool } from "./Agents.ts"
import { collectBody } from "./collect.ts"
import { connectionErrorText } from "./connectionError.ts"
import { nodeHttp } from "./nodeHttp.ts"
import { fullPath, type Headers, headerOf, type RawAnswer, type RawRequest } from "./RawRequest.ts"

export type RawResult = Result.Result<RawAnswer, ConnectionError>

/** The receiver of a stream. Nothing is called after `end`, or after the stream was cancelled. */
export interface StreamSink {
  /** Receives the start of the response. Returns false to have the body collected and passed to `refused`. */
  readonly head: (code: number, headers: Headers) => boolean
  /** Receives the whole response if `head` returned false. */
  readonly refused: (answer: RawAnswer) => void
  readonly data: (chunk: Uint8Array) => void
  /** Called when the stream has ended; without an error if the server completed it. */
  readonly end: (error: ConnectionError | undefined) => void
}

/** HTTP to one server as one user. */
export interface Transport {
  /** Calls `reply` once, after the call has returned; the returned function aborts the request without a reply. */
  readonly request: (request: RawRequest, reply: (result: RawResult) => void) => () => void
  readonly stream: (request: RawRequest, sink: StreamSink) => () => void
  /** Closes all connections; requests in flight fail. */
  readonly close: () => void
}

export interface TransportOptions {
  readonly config: ClientConfig
  readonly credentials: Credentials
  readonly timers: TimersShape
  readonly userAgent: string
  readonly maxSockets: number
  readonly requestTimeoutMs: number
  readonly maxBodyBytes: number
  /** Uses HTTP/2 for watches where the server supports it. */
  readonly http2: boolean
}

/** A response whose headers have arrived. */
interface StartedResponse {
  readonly code: number
  readonly headers: Headers
  readonly body: Readable
}

interface Handlers {
  readonly response: (started: StartedResponse) => void
  readonly failed: (message: string) => void
}

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one pool of sockets and sessions, and the functions that share it.
export const makeTransport = (options: TransportOptions): Transport => {
  const { config, credentials, maxBodyBytes, requestTimeoutMs, timers, userAgent } = options
  const url = new URL(config.server)
  const agents = makeAgentPool(config, options)
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
  const basePath = url.pathname.replace(/\/+$/, "")
  const isRemote = !/^(localhost|127\.|::1$)/.test(host)
  const compression = isRemote && config.disableCompression !== true ? { "accept-encoding": "gzip" } : {}
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : url.port
  let isClosed = false

  /** Describes a request in an error as Go's clients do: `Get "https://127.0.0.1:6443/api/v1/nodes"`. */
  const describe = ({ method, path }: RawRequest): string =>
    `${method.slice(0, 1)}${method.slice(1).toLowerCase()} "${url.protocol}//${url.host}${basePath}${path}"`
  const { serverName } = config.tls
  const errorText = (error: unknown): string =>
    connectionErrorText(error, { host, port, nowMs: timers.now(), ...(serverName === undefined ? {} : { serverName }) })

  const headersOf = ({ body, headers }: RawRequest, credential: Credential) =>
    ({
      "user-agent": userAgent,
      ...compression,
      ...credential.headers,
      ...headers,
      ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) })
    }) as http.OutgoingHttpHeaders

  const open = (request: RawRequest, credential: Credential, isWatch: boolean, handlers: Handlers) => {
    const { isSecure, requests, watches } = agents.of(credential)
    const clientRequest = (isSecure ? https : nodeHttp).request({
      host,
      port,
      method: request.method,
      path: basePath + fullPath(request),
      agent: isWatch ? watches : requests,
      headers: { host: url.host, ...headersOf(request, credential) }
    })
    clientRequest.on("response", (body) => {
      const { headers, statusCode: code = 0 } = body
      if (code === 401) credentials.rejected(credential)
      handlers.response({ code, headers, body })
    })
    clientRequest.on("error", (error) => handlers.failed(errorText(error)))
    clientRequest.end(request.body)
    return clientRequest
  }

  /** Opens a watch like `open`, over HTTP/2 if possible; returns a function that aborts it. */
  const openWatch = (raw: RawRequest, credential: Credential, handlers: Handlers): (() => void) => {
    const { sessions } = agents.of(credential)
    let cancel: (() => void) | undefined
    let cancelled = false
    const openHttp1 = () => {
      if (cancelled) return
      const clientRequest = open(raw, credential, true, handlers)
      cancel = () => clientRequest.destroy()
    }
    if (sessions === undefined || raw.body !== undefined) openHttp1()
    else {
      const headers = { ":method": raw.method, ":path": basePath + fullPath(raw), ...headersOf(raw, credential) }
      sessions.request(headers, {
        unsupported: openHttp1,
        failed: (error) => {
          if (!cancelled) handlers.failed(errorText(error))
        },
        ready: (body) => {
          cancel = () => body.close()
          body.on("error", (error) => handlers.failed(error.message))
          body.on("response", ({ ":status": code = 0, ...rest }) => {
            if (code === 401) credentials.rejected(credential)
            handlers.response({ code, headers: rest as Headers, body })
          })
          body.on("aborted", () => handlers.failed("the connection was cut"))
          body.on("close", () => handlers.failed("the connection was cut"))
          if (cancelled) body.close()
        }
      })
    }
    return () => {
      cancelled = true
      cancel?.()
    }
  }

  const request: Transport["request"] = (raw, reply) => {
    let clientRequest: http.ClientRequest | undefined
    let isOver = false
    const timeoutMs = raw.timeoutMs ?? requestTimeoutMs
    const finish = (result: RawResult) => {
      if (isOver) return
      isOver = true
      if (timer !== undefined) timers.cancel(timer)
      // A socket's listener has no caller: an error thrown here would end the process.
      guarded(timers, "reply", () => reply(result), { request: describe(raw) })
    }
    const fail = (message: string) => {
      finish(Result.fail(new ConnectionError({ message: `${describe(raw)}: ${message}` })))
      clientRequest?.destroy()
    }
    const timer = timeoutMs > 0 ? timers.after(timeoutMs, () => fail(`no response within ${timeoutMs} ms`)) : undefined
    /** Starts the request; an unusable credential, or an invalid header, is an error of this request. */
    const startOrFail = (credential: Credential) => {
      try {
        start(credential, false)
      } catch (cause) {
        timers.soon(() => fail(textOf(cause)))
      }
    }
    const start = (credential: Credential, isRepeat: boolean) => {
      const attempt = open(raw, credential, false, {
        response: ({ body: stream, code, headers }) => {
          collectBody(stream, headerOf(headers, "content-encoding"), maxBodyBytes, (body) => {
            if (Result.isFailure(body)) fail(body.failure)
            else finish(Result.succeed({ code, headers, body: body.success }))
          })
        },
        failed: (message) => {
          // The server closed a kept-alive connection just as it was reused: the request never reached it.
          const isStale = attempt.reusedSocket && !isRepeat && raw.method === "GET"
          if (!isStale || isOver || isClosed) return fail(message)
          try {
            start(credential, true)
          } catch (cause) {
            fail(textOf(cause))
          }
        }
      })
      clientRequest = attempt
    }
    if (isClosed) timers.soon(() => fail("the client is closed"))
    else {
      credentials.use((credentialResult) => {
        if (isOver) return
        if (Result.isSuccess(credentialResult)) startOrFail(credentialResult.success)
        else timers.soon(() => finish(Result.fail(credentialResult.failure)))
      })
    }
    return () => {
      if (isOver) return
      isOver = true
      if (timer !== undefined) timers.cancel(timer)
      clientRequest?.destroy()
    }
  }

  const stream: Transport["stream"] = (raw, sink) => {
    let cancel: (() => void) | undefined
    let isOver = false
    const end = (error: ConnectionError | undefined) => {
      if (isOver) return
      isOver = true
      guarded(timers, "stream", () => sink.end(error), { request: describe(raw) })
    }
    const fail = (message: string) => {
      end(new ConnectionError({ message: `${describe(raw)}: ${message}` }))
      cancel?.()
    }
    const refuse = ({ body: stream, code, headers }: StartedResponse) =>
      collectBody(stream, headerOf(headers, "content-encoding"), maxBodyBytes, (body) => {
        if (isOver) return
        if (Result.isFailure(body)) return fail(body.failure)
        isOver = true
        guarded(timers, "stream", () => sink.refused({ code, headers, body: body.success }), {
          request: describe(raw)
        })
      })
    /** Passes a chunk to the sink; an error that the sink throws ends the stream with that error. */
    const passOn = (chunk: Uint8Array) => {
      if (isOver) return
      try {
        sink.data(chunk)
      } catch (cause) {
        timers.handleError("stream", cause, { request: describe(raw) })
        fail(textOf(cause))
      }
    }
    const startOrFail = (credential: Credential) => {
      try {
        start(credential)
      } catch (cause) {
        timers.soon(() => fail(textOf(cause)))
      }
    }
    const start = (credential: Credential) => {
      let isRefused = false
      cancel = openWatch(raw, credential, {
        response: (started) => {
          if (isOver) return
          const { body, code, headers } = started
          if (!sink.head(code, headers)) {
            isRefused = true
            refuse(started)
            return
          }
          body.on("data", passOn)
          body.on("end", () => end(undefined))
          body.on("error", (error) => fail(error.message))
          body.on("close", () => fail("the connection was cut"))
        },
        // The body of a refusal reports its own errors.
        failed: (message) => {
          if (!isRefused) fail(message)
        }
      })
    }
    if (isClosed) timers.soon(() => fail("the client is closed"))
    else {
      credentials.use((credentialResult) => {
        if (isOver) return
        if (Result.isSuccess(credentialResult)) startOrFail(credentialResult.success)
        else timers.soon(() => end(credentialResult.failure))
      })
    }
    return () => {
      isOver = true
      cancel?.()
    }
  }

  return {
    request,
    stream,
    close: () => {
      isClosed = true
      agents.close()
    }
  }
}
