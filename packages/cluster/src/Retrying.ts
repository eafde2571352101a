import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import { type ClusterError, connectionErrorFrom } from "./ClusterError.ts"
import type { Connection } from "./Connection.ts"
import { DelayedSends } from "./internal/DelayedSends.ts"

export interface RetryOptions {
  readonly timers: TimersShape
  /** Default 10, as client-go's. */
  readonly maxRetries?: number
}

export interface RetryingConnection extends Connection {
  /** Stops retrying: requests that wait for a retry end with the error they had. */
  readonly close: () => void
}

/** Returns the Retry-After of a refusal in milliseconds; undefined: none. */
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
  let closed = false

  /** Makes attempts with `go` until one is not to be retried. `go` receives a function that retries it after a pause. */
  const attempts = (
    go: (again: (error: ClusterError, otherwise: () => void) => void) => () => void,
    failed: (error: unknown) => void
  ): (() => void) => {
    let retries = 0
    let cancel: () => void = noop
    let isCancelled = false
    let isPausing = false
    const again = (error: ClusterError, otherwise: () => void): void => {
      const waitMs = retries < maxRetries && !closed ? retryAfterMs(error) : undefined
      if (waitMs === undefined) {
        otherwise()
        return
      }
      retries++
      const repeat = () => {
        try {
          attempt()
        } catch (thrown) {
          failed(thrown)
        }
        return noop
      }
      isPausing = true
      cancel = delayed.add(waitMs, repeat, otherwise)
    }
    const attempt = (): void => {
      if (isCancelled) return
      isPausing = false
      const stop = go(again)
      // When the attempt was refused within the call, the next one is planned already.
      if (!isPausing) cancel = stop
    }
    attempt()
    return () => {
      isCancelled = true
      cancel()
    }
  }

  return {
    send: (request, reply) =>
      attempts(
        (again) =>
          connection.send(request, (answer) => {
            if (Result.isFailure(answer)) again(answer.failure, () => reply(answer))
            else reply(answer)
          }),
        (error) => reply(Result.fail(connectionErrorFrom(`${request.verb} ${request.kind}`, error)))
      ),
    watch: (request, sink) =>
      attempts(
        (again) => {
          let begun = false
          return connection.watch(request, {
            events: (batch) => {
              begun = true
              sink.events(batch)
            },
            end: (error) => {
              if (error === undefined || begun) sink.end(error)
              else again(error, () => sink.end(error))
            }
          })
        },
        (error) => sink.end(connectionErrorFrom(`watch ${request.kind}`, error))
      ),
    close: () => {
      closed = true
      delayed.failAll()
    }
  }
}
