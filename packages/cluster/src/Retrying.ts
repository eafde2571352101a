import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import { type ClusterError, thrownBy } from "./ClusterError.ts"
import type { Connection } from "./Connection.ts"
import { DelayedSends } from "./internal/DelayedSends.ts"

export interface RetryOptions {
  readonly timers: TimersShape
  /** Default 10, as client-go's. */
  readonly maxRetries?: number
}

export interface RetryingConnection extends Connection {
  /** Repeats nothing any more: what waits for its repetition ends with the refusal that it had. */
  readonly close: () => void
}

/** How long the server asks to wait before the same request may be sent again; undefined: it does not ask. */
export const retryAfterMs = (error: ClusterError): number | undefined => {
  if (error._tag !== "ApiError" || (error.code !== 429 && error.code < 500)) return undefined
  const seconds = error.status.details?.retryAfterSeconds
  return seconds === undefined || seconds < 0 ? undefined : seconds * 1000
}

const nothing = () => {}

/**
 * A connection that sends a request or a watch again which the server refused with 429 or 5xx and a time to wait, up to
 * `maxRetries` times. Put it over a rate limit: a repeat counts as a request. Upstream: client-go/rest/with_retry.go.
 */
export const retrying = (connection: Connection, { maxRetries = 10, timers }: RetryOptions): RetryingConnection => {
  const delayed = new DelayedSends(timers)
  let closed = false

  /** Makes attempts with `go` until the first that is not to be repeated; `go` is handed what repeats it after a pause. */
  const attempts = (
    go: (again: (error: ClusterError, otherwise: () => void) => void) => () => void,
    failed: (error: unknown) => void
  ): (() => void) => {
    let retries = 0
    let cancel: () => void = nothing
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
        return nothing
      }
      isPausing = true
      cancel = delayed.add(waitMs, repeat, otherwise)
    }
    const attempt = (): void => {
      if (isCancelled) return
      isPausing = false
      const stop = go(again)
      // Refused within the call, the next attempt is planned already.
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
        (error) => reply(Result.fail(thrownBy(`${request.verb} ${request.kind}`, error)))
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
        (error) => sink.end(thrownBy(`watch ${request.kind}`, error))
      ),
    close: () => {
      closed = true
      delayed.giveUp()
    }
  }
}
