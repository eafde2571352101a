import { TokenBucket } from "@rollcall/eviction/rules"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import { ConnectionError, connectionErrorFrom } from "./ClusterError.ts"
import type { ApiRequest, Connection, WatchRenewal, WatchRequest, WatchSink } from "./Connection.ts"
import { DelayedSends } from "./internal/DelayedSends.ts"
import { neverThrowing } from "./neverThrowing.ts"

/** The client-side limit that `--kube-api-qps` and `--kube-api-burst` set. */
export interface RateLimitOptions {
  /** Requests per second; 0 or less means no limit. */
  readonly qps: number
  readonly burst: number
  /** Called for each request and watch, with the milliseconds that it waits for its token. */
  readonly onRequest?: (request: ApiRequest | WatchRequest, waitMs: number) => void
}

const clientClosed = new ConnectionError({ message: "the client is closed" })

export interface RateLimitedConnection extends Connection {
  /** The number of requests and watches that wait for a token. */
  readonly waiting: () => number
  /** Stops sending: waiting requests, and those sent later, fail with a ConnectionError. */
  readonly close: () => void
}

/**
 * Puts a connection behind a token bucket: each request and each watch reserves one token when it is made and is sent
 * when the token is available, in order. Each retry reserves a token of its own. Upstream: client-go/rest/request.go
 * tryThrottle, util/flowcontrol/throttle.go.
 */
export const rateLimited = (
  connection: Connection,
  { burst, onRequest, qps, timers }: RateLimitOptions & { readonly timers: TimersShape }
): RateLimitedConnection => {
  const bucket = qps > 0 ? new TokenBucket(qps, burst) : undefined
  const delayedSends = new DelayedSends(timers)
  let isClosed = false

  const reserve = (request: ApiRequest | WatchRequest): number => {
    const waitMs = bucket === undefined ? 0 : bucket.reserve(timers.now())
    onRequest?.(request, waitMs)
    return waitMs
  }
  /** Each watch takes a token: one is renewed in place only if its token is available at once. */
  const renewWithToken = (request: WatchRequest, sink: WatchSink): WatchRenewal | undefined => {
    const now = timers.now()
    if (isClosed || (bucket !== undefined && bucket.available(now) < 1)) return undefined
    const renewal = sink.renew?.()
    if (renewal !== undefined) reserve({ ...request, ...renewal })
    return renewal
  }
  /** Fails after the caller's call has returned: a caller that retries at once must not recurse. */
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
      if (isClosed) return failSoon(fail)
      const waitMs = reserve(request)
      if (waitMs === 0) return connection.send(request, reply)
      // By the time it is sent its caller has returned, so an error can reach it only through the reply.
      return delayedSends.add(waitMs, () => neverThrowing(connection, timers).send(request, reply), fail)
    },
    watch: (request, given) => {
      const { renewals: _, reopen: __, ...asked } = given
      const sink: WatchSink = {
        ...asked,
        ...(given.renew === undefined ? {} : { renew: () => renewWithToken(request, given) })
      }
      const fail = () => sink.end(clientClosed)
      if (isClosed) return failSoon(fail)
      const waitMs = reserve(request)
      if (waitMs === 0) return connection.watch(request, sink)
      const open = () => {
        try {
          return connection.watch(request, sink)
        } catch (error) {
          sink.end(connectionErrorFrom(`watch ${request.kind}`, error))
          return () => undefined
        }
      }
      // Cancelling a waiting request or watch does not return its token.
      return delayedSends.add(waitMs, open, fail)
    },
    waiting: () => delayedSends.size,
    close: () => {
      if (isClosed) return
      isClosed = true
      delayedSends.failAll()
    }
  }
}
