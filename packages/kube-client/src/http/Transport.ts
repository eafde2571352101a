import http from "node:http"
import https from "node:https"
import { ConnectionError } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { Credential, Credentials } from "../auth/Credentials.ts"
import type { ClientConfig } from "../ClientConfig.ts"
import { agentsOf } from "./Agents.ts"
import { collect } from "./collect.ts"
import { fullPath, type Headers, type RawAnswer, type RawRequest } from "./RawRequest.ts"

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
}

interface Handlers {
  readonly response: (response: http.IncomingMessage) => void
  readonly failed: (message: string) => void
}

const describe = (request: RawRequest): string => `${request.method} ${request.path}`

export const makeTransport = (options: TransportOptions): Transport => {
  const { config, credentials, maxBodyBytes, requestTimeoutMs, timers, userAgent } = options
  const url = new URL(config.server)
  const agents = agentsOf(config, options)
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
  const base = url.pathname.replace(/\/+$/, "")
  const isRemote = !/^(localhost|127\.|::1$)/.test(host)
  const compression = isRemote && config.disableCompression !== true ? { "accept-encoding": "gzip" } : {}
  let closed = false

  const open = (request: RawRequest, credential: Credential, isWatch: boolean, handlers: Handlers) => {
    const { isSecure, requests, watches } = agents.of(credential)
    const { body, headers } = request
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) }
    const asked = (isSecure ? https : http).request({
      host,
      port: url.port === "" ? (isSecure ? 443 : 80) : url.port,
      method: request.method,
      path: base + fullPath(request),
      agent: isWatch ? watches : requests,
      headers: {
        host: url.host,
        "user-agent": userAgent,
        ...compression,
        ...credential.headers,
        ...headers,
        ...length
      } as http.OutgoingHttpHeaders
    })
    asked.on("response", (response) => {
      if (response.statusCode === 401) credentials.rejected(credential)
      handlers.response(response)
    })
    asked.on("error", (error) => handlers.failed(error.message))
    asked.end(body)
    return asked
  }

  const request: Transport["request"] = (raw, reply) => {
    let asked: http.ClientRequest | undefined
    let over = false
    const timeoutMs = raw.timeoutMs ?? requestTimeoutMs
    const finish = (result: RawResult) => {
      if (over) return
      over = true
      if (timer !== undefined) timers.cancel(timer)
      reply(result)
    }
    const fail = (message: string) => {
      finish(Result.fail(new ConnectionError({ message: `${describe(raw)}: ${message}` })))
      asked?.destroy()
    }
    const timer = timeoutMs > 0 ? timers.after(timeoutMs, () => fail(`no answer in ${timeoutMs} ms`)) : undefined
    const start = (credential: Credential, isRepeat: boolean) => {
      const mine = open(raw, credential, false, {
        response: (response) => {
          collect(response, maxBodyBytes, (body) => {
            if (Result.isFailure(body)) fail(body.failure)
            else
              finish(Result.succeed({ code: response.statusCode ?? 0, headers: response.headers, body: body.success }))
          })
        },
        failed: (message) => {
          // The server closed a kept connection just as it was taken again: the request never reached it.
          const isStale = mine.reusedSocket && !isRepeat && raw.method === "GET"
          if (isStale && !over && !closed) start(credential, true)
          else fail(message)
        }
      })
      asked = mine
    }
    if (closed) timers.soon(() => fail("the client is closed"))
    else {
      credentials.use((taken) => {
        if (over) return
        if (Result.isSuccess(taken)) start(taken.success, false)
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
    let asked: http.ClientRequest | undefined
    let over = false
    const end = (error: ConnectionError | undefined) => {
      if (over) return
      over = true
      sink.end(error)
    }
    const fail = (message: string) => {
      end(new ConnectionError({ message: `${describe(raw)}: ${message}` }))
      asked?.destroy()
    }
    const refuse = (response: http.IncomingMessage) =>
      collect(response, maxBodyBytes, (body) => {
        if (over) return
        if (Result.isFailure(body)) return fail(body.failure)
        over = true
        sink.refused({ code: response.statusCode ?? 0, headers: response.headers, body: body.success })
      })
    const begin = (credential: Credential) => {
      asked = open(raw, credential, true, {
        response: (response) => {
          if (over) return
          if (!sink.head(response.statusCode ?? 0, response.headers)) return refuse(response)
          response.on("data", (chunk: Uint8Array) => {
            if (!over) sink.data(chunk)
          })
          response.on("end", () => end(undefined))
          response.on("error", (error) => fail(error.message))
          response.on("close", () => fail("the connection was cut"))
        },
        failed: fail
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
      asked?.destroy()
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
