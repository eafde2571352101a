import { TokenBucket } from "@rollcall/eviction"
import type { TimersShape } from "@rollcall/time"
import { thrownBy } from "./ClusterError.ts"
import type { ApiRequest, Connection, WatchRequest } from "./Connection.ts"
import { neverThrowing } from "./neverThrowing.ts"

/** A client's own limit, as `--kube-api-qps` and `--kube-api-burst` set it. */
export interface RateLimitOptions {
  /** Requests per second; 0 or less: no limit. */
  readonly qps: number
  readonly burst: number
  /** Told of each request and watch, with the milliseconds that it waits for its token. */
  readonly onRequest?: (request: ApiRequest | WatchRequest, waitMs: number) => void
}

export interface RateLimitedConnection extends Connection {
  /** Requests and watches that wait for their token. */
  readonly waiting: () => number
  /** Drops what waits, and sends nothing any more: what the end of a process does to its requests. */
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
  let waiting = 0
  let closed = false

  const reserve = (request: ApiRequest | WatchRequest): number => {
    const waitMs = bucket === undefined ? 0 : bucket.reserve(timers.now())
    onRequest?.(request, waitMs)
    return waitMs
  }
  const later = (waitMs: number, act: () => void) => {
    waiting++
    return timers.after(waitMs, () => {
      waiting--
      if (!closed) act()
    })
  }

  return {
    send: (request, reply) => {
      if (closed) return
      const waitMs = reserve(request)
      // Sent later, there is no caller any more that could hear of an error but by the reply.
      if (waitMs > 0) later(waitMs, () => neverThrowing(connection, timers).send(request, reply))
      else connection.send(request, reply)
    },
    watch: (request, sink) => {
      if (closed) return () => undefined
      const waitMs = reserve(request)
      if (waitMs === 0) return connection.watch(request, sink)
      let cancelled = false
      let cancel: (() => void) | undefined
      // The token stays taken when a waiting watch is cancelled.
      later(waitMs, () => {
        if (cancelled) return
        try {
          cancel = connection.watch(request, sink)
        } catch (error) {
          sink.end(thrownBy(`watch ${request.kind}`, error))
        }
      })
      return () => {
        cancelled = true
        cancel?.()
      }
    },
    waiting: () => waiting,
    close: () => {
      closed = true
    }
  }
}
