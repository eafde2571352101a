import { TokenBucket } from "@rollcall/eviction"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import { ConnectionError, thrownBy } from "./ClusterError.ts"
import type { ApiRequest, Connection, WatchRequest } from "./Connection.ts"
import { DelayedSends } from "./internal/DelayedSends.ts"
import { neverThrowing } from "./neverThrowing.ts"

/** A client's own limit, as `--kube-api-qps` and `--kube-api-burst` set it. */
export interface RateLimitOptions {
  /** Requests per second; 0 or less: no limit. */
  readonly qps: number
  readonly burst: number
  /** Told of each request and watch, with the milliseconds that it waits for its token. */
  readonly onRequest?: (request: ApiRequest | WatchRequest, waitMs: number) => void
}

const clientClosed = new ConnectionError({ message: "the client is closed" })

export interface RateLimitedConnection extends Connection {
  /** Requests and watches that wait for their token. */
  readonly waiting: () => number
  /** Sends nothing any more: what waits, and what is asked later, fails with a ConnectionError. */
  readonly close: () => void
}

/**
 * A connection behind a token bucket: each request and each watch reserves one token when it is made and is sent when that
 * token is there, in order. Retries count anew. Upstream: client-go/rest/request.go tryThrottle, util/flowcontrol/throttle.go.
 */
export const rateLimited = (
  connection: Connection,
  { burst, onRequest, qps, timers }: RateLimitOptions & { readonly timers: TimersShape }
): RateLimitedConnection => {
  const bucket = qps > 0 ? new TokenBucket(qps, burst) : undefined
  const waiting = new DelayedSends(timers)
  let closed = false

  const reserve = (request: ApiRequest | WatchRequest): number => {
    const waitMs = bucket === undefined ? 0 : bucket.reserve(timers.now())
    onRequest?.(request, waitMs)
    return waitMs
  }
  /** Never within the caller's call: a caller that tries again at once must not go round in it. */
  const failSoon = (fail: () => void): (() => void) => {
    let isCancelled = false
    timers.soon(() => {
      if (!isCancelled) fail()
    })
    return () => {
      isCancelled = true
    }
  }

  return {
    send: (request, reply) => {
      const fail = () => reply(Result.fail(clientClosed))
      if (closed) return failSoon(fail)
      const waitMs = reserve(request)
      if (waitMs === 0) return connection.send(request, reply)
      // Sent later, there is no caller any more that could hear of an error but by the reply.
      return waiting.add(waitMs, () => neverThrowing(connection, timers).send(request, reply), fail)
    },
    watch: (request, sink) => {
      const fail = () => sink.end(clientClosed)
      if (closed) return failSoon(fail)
      const waitMs = reserve(request)
      if (waitMs === 0) return connection.watch(request, sink)
      const open = () => {
        try {
          return connection.watch(request, sink)
        } catch (error) {
          sink.end(thrownBy(`watch ${request.kind}`, error))
          return () => undefined
        }
      }
      // The token stays taken when a waiting request or watch is cancelled.
      return waiting.add(waitMs, open, fail)
    },
    waiting: () => waiting.size,
    close: () => {
      if (closed) return
      closed = true
      waiting.giveUp()
    }
  }
}
