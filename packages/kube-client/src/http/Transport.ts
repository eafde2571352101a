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

/** Where a stream delivers. Nothing is called after `end`, nor once it was cancelled. */
export interface StreamSink {
  /** The answer has begun; false: its body is to be collected and handed to `refused`. */
  readonly head: (code: number, headers: Headers) => boolean
  readonly refused: (answer: RawAnswer) => void
  readonly data: (chunk: Uint8Array) => void
  /** Undefined: the server closed the stream in good order. */
  readonly end: (error: ConnectionError | undefined) => void
}

/** HTTP to one server as one user. */
export interface Transport {
  /** Replies once, later; the returned function ends the request without a reply. */
  readonly request: (request: RawRequest, reply: (result: RawResult) => void) => () => void
  readonly stream: (request: RawRequest, sink: StreamSink) => () => void
  /** Ends all connections; what is under way fails. */
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
  /** Watches over HTTP/2 where the server speaks it. */
  readonly http2: boolean
}

/** An answer that has begun. */
interface Begun {
  readonly code: number
  readonly headers: Headers
  readonly body: Readable
}

interface Handlers {
  readonly response: (begun: Begun) => void
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

  /** As Go's clients name a request in an error: `Get "https://127.0.0.1:6443/api/v1/nodes"`. */
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

  /** As `open`, over HTTP/2 if it can be; returns what ends it. */
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
      // Nobody is above a socket's listener: what it throws would end the process.
      guarded(timers, "reply", () => reply(result), { request: describe(raw) })
    }
    const fail = (message: string) => {
      finish(Result.fail(new ConnectionError({ message: `${describe(raw)}: ${message}` })))
      asked?.destroy()
    }
    const timer = timeoutMs > 0 ? timers.after(timeoutMs, () => fail(`no answer in ${timeoutMs} ms`)) : undefined
    /** A credential that cannot be used, or a header that cannot be sent, is this request's error. */
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
          // The server closed a kept connection just as it was taken again: the request never reached it.
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
    const refuse = ({ body: stream, code, headers }: Begun) =>
      collect(stream, headerOf(headers, "content-encoding"), maxBodyBytes, (body) => {
        if (over) return
        if (Result.isFailure(body)) return fail(body.failure)
        over = true
        guarded(timers, "stream", () => sink.refused({ code, headers, body: body.success }), {
          request: describe(raw)
        })
      })
    /** What the sink throws ends the stream, and is its error. */
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
        response: (begun) => {
          if (over) return
          const { body, code, headers } = begun
          if (!sink.head(code, headers)) {
            isRefused = true
            refuse(begun)
            return
          }
          body.on("data", take)
          body.on("end", () => end(undefined))
          body.on("error", (error) => fail(error.message))
          body.on("close", () => fail("the connection was cut"))
        },
        // The body of a refusal says itself how it ended.
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
