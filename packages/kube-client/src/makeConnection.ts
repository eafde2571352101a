import {
  type ApiRequest,
  type ClusterError,
  type Connection,
  connectionErrorFrom,
  type RateLimitOptions,
  rateLimited,
  retrying,
  type WatchRequest
} from "@rollcall/cluster"
import type { MetricSet, TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { ExecOptions } from "./auth/execCredentials.ts"
import { impersonationHeaders, makeCredentials } from "./auth/makeCredentials.ts"
import type { ClientConfig, Impersonation } from "./ClientConfig.ts"
import { type Addressed, httpRequest } from "./http/address.ts"
import { answerOf } from "./http/answer.ts"
import { makeKindFinder } from "./http/kindFinder.ts"
import { type LineSink, lineStream } from "./http/lineStream.ts"
import { measuredTransport } from "./http/measured.ts"
import type { RawRequest } from "./http/RawRequest.ts"
import { makeTransport, type RawResult, type Transport } from "./http/Transport.ts"
import { watchStream } from "./http/watchStream.ts"

export interface ConnectionOptions {
  readonly config: ClientConfig
  readonly timers: TimersShape
  /** `kubelet/v1.36.0 (linux/amd64)`: the part before the `/` is the field manager of its writes. */
  readonly userAgent: string
  /** A client-side rate limit, as client-go's; watches and retries count too. The default is none. */
  readonly rateLimit?: RateLimitOptions
  /** The timeout of a whole request; default 30 s. It does not apply to watches. */
  readonly requestTimeoutMs?: number
  /**
   * A watch with bookmarks that receives nothing for this long is considered broken; the default is 3 min, and 0 means
   * never.
   */
  readonly watchIdleMs?: number
  /** The number of connections that requests share; default 64. Each watch has its own. */
  readonly maxSockets?: number
  /** The limit of a response body, decompressed; default 256 MiB. */
  readonly maxBodyBytes?: number
  /** The limit of one watch event; default 16 MiB. */
  readonly maxEventBytes?: number
  /** The number of retries of a request that the server refused with Retry-After; default 10. */
  readonly maxRetries?: number
  /**
   * Watches share connections by HTTP/2 where the server supports it (default: no). Each watch then costs a third of
   * the memory on both sides; a few dozen watches do not need it.
   */
  readonly http2?: boolean
  /** Counts and measures its requests. Default: nothing does. */
  readonly metrics?: MetricSet
  /** Options of credential plugins. */
  readonly exec?: ExecOptions
}

/** The Cluster port over HTTPS, and raw HTTP requests. */
export interface KubeConnection extends Connection {
  readonly config: ClientConfig
  /**
   * Sends any request to the server, without rate limit and retries. Returns a function that aborts it without a reply.
   */
  readonly raw: (request: RawRequest, reply: (result: RawResult) => void) => () => void
  /**
   * Streams the lines of a response that the port does not model. Returns a function that ends the stream without
   * calling `end`.
   */
  readonly lines: (request: RawRequest, sink: LineSink) => () => void
  /**
   * Returns a connection over the same sockets that impersonates another user, with its own rate limit; its `close`
   * does not close the sockets.
   */
  readonly as: (who: Impersonation) => KubeConnection
  /** Closes all connections; requests in flight fail. */
  readonly close: () => void
}

const REQUEST_TIMEOUT_MS = 30_000
const WATCH_IDLE_MS = 180_000
const MAX_SOCKETS = 64
const MAX_BODY_BYTES = 256 << 20
const MAX_EVENT_BYTES = 16 << 20

/** Makes a connection. It opens sockets only when requests need them. Upstream: client-go/rest. */
export const makeConnection = (options: ConnectionOptions): KubeConnection => {
  const { config, timers, userAgent } = options
  const plain = makeTransport({
    config,
    timers,
    userAgent,
    credentials: makeCredentials(config, timers, options.exec ?? {}),
    maxSockets: options.maxSockets ?? MAX_SOCKETS,
    requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    maxBodyBytes: options.maxBodyBytes ?? MAX_BODY_BYTES,
    http2: options.http2 ?? false
  })
  const { metrics } = options
  const host = new URL(config.server).host
  const transport = metrics === undefined ? plain : measuredTransport(plain, metrics, host, timers.now)
  const userTransport = config.impersonate === undefined ? transport : impersonating(transport, config.impersonate)
  return connectionOver(userTransport, transport, options, transport.close)
}

const impersonating = (transport: Transport, who: Impersonation): Transport => {
  const extraHeaders = impersonationHeaders(who)
  const withImpersonation = (request: RawRequest): RawRequest => ({
    ...request,
    headers: { ...request.headers, ...extraHeaders }
  })
  return {
    request: (request, reply) => transport.request(withImpersonation(request), reply),
    stream: (request, sink) => transport.stream(withImpersonation(request), sink),
    close: transport.close
  }
}

const connectionOver = (
  transport: Transport,
  plainTransport: Transport,
  options: ConnectionOptions,
  closeSockets: () => void
): KubeConnection => {
  const { config, timers } = options
  const limited =
    options.rateLimit === undefined
      ? undefined
      : rateLimited(withoutRetries(transport, options), { ...options.rateLimit, timers })
  const connection = retrying(limited ?? withoutRetries(transport, options), {
    timers,
    ...(options.maxRetries === undefined ? {} : { maxRetries: options.maxRetries })
  })
  return {
    ...connection,
    config,
    raw: transport.request,
    lines: (request, sink) => lineStream(transport, request, sink, options.maxEventBytes ?? MAX_EVENT_BYTES),
    as: (who) => connectionOver(impersonating(plainTransport, who), plainTransport, options, () => undefined),
    close: () => {
      connection.close()
      limited?.close()
      closeSockets()
    }
  }
}

/** Implements the port over HTTP, without retries. */
const withoutRetries = (transport: Transport, options: ConnectionOptions): Connection => {
  const { timers } = options
  const kinds = makeKindFinder(transport)
  const watchOptions = {
    timers,
    idleMs: options.watchIdleMs ?? WATCH_IDLE_MS,
    maxEventBytes: options.maxEventBytes ?? MAX_EVENT_BYTES
  }
  /** Finds the resource of the kind and runs `send`, or fails later; returns a function that cancels either. */
  const withResource = (
    request: ApiRequest | WatchRequest,
    send: (rawRequest: RawRequest) => () => void,
    fail: (error: ClusterError) => void
  ): (() => void) => {
    let isCancelled = false
    let cancel: (() => void) | undefined
    const failSoon = (error: ClusterError) =>
      timers.soon(() => {
        if (!isCancelled) fail(error)
      })
    const found = (address: Addressed) => {
      if (isCancelled) return
      let rawRequest: RawRequest
      try {
        rawRequest = httpRequest(request, address)
      } catch (cause) {
        return failSoon(connectionErrorFrom(`${request.verb} ${request.kind}`, cause))
      }
      cancel = send(rawRequest)
    }
    const known = kinds.known(request.kind)
    if (known !== undefined) found(known)
    else {
      kinds.find(request.kind, (answer) => {
        if (Result.isSuccess(answer)) found(answer.success)
        else failSoon(answer.failure)
      })
    }
    return () => {
      isCancelled = true
      cancel?.()
    }
  }
  return {
    send: (request, reply) =>
      withResource(
        request,
        (rawRequest) =>
          transport.request(rawRequest, (result) =>
            reply(Result.isSuccess(result) ? answerOf(rawRequest, result.success) : Result.fail(result.failure))
          ),
        (error) => reply(Result.fail(error))
      ),
    watch: (request, sink) =>
      withResource(request, (rawRequest) => watchStream(transport, rawRequest, request, sink, watchOptions), sink.end)
  }
}
