import http from "node:http"
import https from "node:https"
import type { Readable } from "node:stream"
import { ConnectionError } from "@rollcall/cluster"
import { guarded, type TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { Credential, Credentials } from "../auth/Credentials.ts"
import type { ClientConfig } from "../ClientConfig.ts"
import { agentsOf } from "./Agents.ts"
import { collect } from "./collect.ts"
import { connectionErrorText } from "./connectionError.ts"
import { fullPath, type Headers, headerOf, type RawAnswer, type RawRequest } from "./RawRequest.ts"

export type RawResult = Result.Result<RawAnswer, ConnectionError>

/** The receiver of a stream. Nothing is called after `end`, or after the stream was cancelled. */
export interface StreamSink {
  /** Receives the start of the response. Returns false to have the body collected and passed to `refused`. */
  readonly head: (code: number, headers: Headers) => boolean
  readonly refused: (answer: RawAnswer) => void
  readonly data: (chunk: Uint8Array) => void
  /** Undefined: the server completed the stream. */
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
  const agents = agentsOf(config, options)
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
  const base = url.pathname.replace(/\/+$/, "")
  const isRemote = !/^(localhost|127\.|::1$)/.test(host)
  const compression = isRemote && config.disableCompression !== true ? { "accept-encoding": "gzip" } : {}
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : url.port
  let closed = false

  /** Describes a request in an error as Go's clients do: `Get "https://127.0.0.1:6443/api/v1/nodes"`. */
  const describe = ({ method, path }: RawRequest): string =>
    `${method.slice(0, 1)}${method.slice(1).toLowerCase()} "${url.protocol}//${url.host}${base}${path}"`
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
    const asked = (isSecure ? https : http).request({
      host,
      port,
      method: request.method,
      path: base + fullPath(request),
      agent: isWatch ? watches : requests,
      headers: { host: url.host, ...headersOf(request, credential) }
    })
    asked.on("response", (body) => {
      const { headers, statusCode: code = 0 } = body
      if (code === 401) credentials.rejected(credential)
      handlers.response({ code, headers, body })
    })
    asked.on("error", (error) => handlers.failed(errorText(error)))
    asked.end(request.body)
    return asked
  }

  /** As `open`, over HTTP/2 when possible; returns a function that aborts it. */
  const openWatch = (raw: RawRequest, credential: Credential, handlers: Handlers): (() => void) => {
    const { sessions } = agents.of(credential)
    let cancel: (() => void) | undefined
    let cancelled = false
    const plainly = () => {
      if (cancelled) return
      const asked = open(raw, credential, true, handlers)
      cancel = () => asked.destroy()
    }
    if (sessions === undefined || raw.body !== undefined) plainly()
    else {
      const headers = { ":method": raw.method, ":path": base + fullPath(raw), ...headersOf(raw, credential) }
      sessions.request(headers, {
        unsupported: plainly,
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
    let asked: http.ClientRequest | undefined
    let over = false
    const timeoutMs = raw.timeoutMs ?? requestTimeoutMs
    const finish = (result: RawResult) => {
      if (over) return
      over = true
      if (timer !== undefined) timers.cancel(timer)
      // A socket's listener has no caller: an error thrown here would end the process.
      guarded(timers, "reply", () => reply(result), { request: describe(raw) })
    }
    const fail = (message: string) => {
      finish(Result.fail(new ConnectionError({ message: `${describe(raw)}: ${message}` })))
      asked?.destroy()
    }
    const timer = timeoutMs > 0 ? timers.after(timeoutMs, () => fail(`no response within ${timeoutMs} ms`)) : undefined
    /** An unusable credential, or an invalid header, is an error of this request. */
    const begin = (credential: Credential) => {
      try {
        start(credential, false)
      } catch (cause) {
        timers.soon(() => fail(textOf(cause)))
      }
    }
    const start = (credential: Credential, isRepeat: boolean) => {
      const mine = open(raw, credential, false, {
        response: ({ body: stream, code, headers }) => {
          collect(stream, headerOf(headers, "content-encoding"), maxBodyBytes, (body) => {
            if (Result.isFailure(body)) fail(body.failure)
            else finish(Result.succeed({ code, headers, body: body.success }))
          })
        },
        failed: (message) => {
          // The server closed a kept-alive connection just as it was reused: the request never reached it.
          const isStale = mine.reusedSocket && !isRepeat && raw.method === "GET"
          if (!isStale || over || closed) return fail(message)
          try {
            start(credential, true)
          } catch (cause) {
            fail(textOf(cause))
          }
        }
      })
      asked = mine
    }
    if (closed) timers.soon(() => fail("the client is closed"))
    else {
      credentials.use((taken) => {
        if (over) return
        if (Result.isSuccess(taken)) begin(taken.success)
        else timers.soon(() => finish(Result.fail(taken.failure)))
      })
    }
    return () => {
      if (over) return
      over = true
      if (timer !== undefined) timers.cancel(timer)
      asked?.destroy()
    }
  }

  const stream: Transport["stream"] = (raw, sink) => {
    let cancel: (() => void) | undefined
    let over = false
    const end = (error: ConnectionError | undefined) => {
      if (over) return
      over = true
      guarded(timers, "stream", () => sink.end(error), { request: describe(raw) })
    }
    const fail = (message: string) => {
      end(new ConnectionError({ message: `${describe(raw)}: ${message}` }))
      cancel?.()
    }
    const refuse = ({ body: stream, code, headers }: StartedResponse) =>
      collect(stream, headerOf(headers, "content-encoding"), maxBodyBytes, (body) => {
        if (over) return
        if (Result.isFailure(body)) return fail(body.failure)
        over = true
        guarded(timers, "stream", () => sink.refused({ code, headers, body: body.success }), {
          request: describe(raw)
        })
      })
    /** An error that the sink throws ends the stream with that error. */
    const take = (chunk: Uint8Array) => {
      if (over) return
      try {
        sink.data(chunk)
      } catch (cause) {
        timers.handleError("stream", cause, { request: describe(raw) })
        fail(textOf(cause))
      }
    }
    const begin = (credential: Credential) => {
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
          if (over) return
          const { body, code, headers } = started
          if (!sink.head(code, headers)) {
            isRefused = true
            refuse(started)
            return
          }
          body.on("data", take)
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
    if (closed) timers.soon(() => fail("the client is closed"))
    else {
      credentials.use((taken) => {
        if (over) return
        if (Result.isSuccess(taken)) begin(taken.success)
        else timers.soon(() => end(taken.failure))
      })
    }
    return () => {
      over = true
      cancel?.()
    }
  }

  return {
    request,
    stream,
    close: () => {
      closed = true
      agents.close()
    }
  }
}
