import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import { type ClusterError, connectionErrorFrom } from "./ClusterError.ts"
import type { Connection } from "./Connection.ts"
import { DelayedSends } from "./internal/DelayedSends.ts"

export interface RetryOptions {
  readonly timers: TimersShape
  /** The maximum number of retries of a request; 10 by default, as in client-go. */
  readonly maxRetries?: number
}

export interface RetryingConnection extends Connection {
  /** Stops retrying: requests that wait for a retry end with the error they had. */
  readonly close: () => void
}

/** Returns the Retry-After of a response with code 429 or 5xx in milliseconds; undefined for any other error. */
export const retryAfterMs = (error: ClusterError): number | undefined => {
  if (error._tag !== "ApiError" || (error.code !== 429 && error.code < 500)) return undefined
  const seconds = error.status.details?.retryAfterSeconds
  return seconds === undefined || seconds < 0 ? undefined : seconds * 1000
}

const noop = () => {}

/**
 * Retries a request or a watch that the server refused with 429 or 5xx and a Retry-After, up to `maxRetries` times. Put
 * it over a rate limit: a retry counts as a request. Upstream: client-go/rest/with_retry.go.
 */
export const retrying = (connection: Connection, { maxRetries = 10, timers }: RetryOptions): RetryingConnection => {
  const delayed = new DelayedSends(timers)
  let isClosed = false

  /**
   * Calls `start` until its request is not to be retried. `start` receives a function to call with the error of a refused
   * request: it retries after a pause, or calls `giveUp`. Returns a function that cancels.
   */
  const runWithRetries = (
    start: (retry: (error: ClusterError, giveUp: () => void) => void) => () => void,
    failed: (error: unknown) => void
  ): (() => void) => {
    let retries = 0
    let cancel: () => void = noop
    let isCancelled = false
    let isPausing = false
    const retry = (error: ClusterError, giveUp: () => void): void => {
      const waitMs = retries < maxRetries && !isClosed ? retryAfterMs(error) : undefined
      if (waitMs === undefined) {
        giveUp()
        return
      }
      retries++
      const startAgain = () => {
        try {
          tryOnce()
        } catch (thrown) {
          failed(thrown)
        }
        return noop
      }
      isPausing = true
      cancel = delayed.add(waitMs, startAgain, giveUp)
    }
    const tryOnce = (): void => {
      if (isCancelled) return
      isPausing = false
      const stop = start(retry)
      // When the attempt was refused within the call, the next one is planned already.
      if (!isPausing) cancel = stop
    }
    tryOnce()
    return () => {
      isCancelled = true
      cancel()
    }
  }

  return {
    send: (request, reply) =>
      runWithRetries(
        (retry) =>
          connection.send(request, (answer) => {
            if (Result.isFailure(answer)) retry(answer.failure, () => reply(answer))
            else reply(answer)
          }),
        (error) => reply(Result.fail(connectionErrorFrom(`${request.verb} ${request.kind}`, error)))
      ),
    watch: (request, sink) =>
      runWithRetries(
        (retry) => {
          let hasEvents = false
          return connection.watch(request, {
            events: (batch) => {
              hasEvents = true
              sink.events(batch)
            },
            end: (error) => {
              if (error === undefined || hasEvents) sink.end(error)
              else retry(error, () => sink.end(error))
            }
          })
        },
        (error) => sink.end(connectionErrorFrom(`watch ${request.kind}`, error))
      ),
    close: () => {
      isClosed = true
      delayed.failAll()
    }
  }
}
