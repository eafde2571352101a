import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import { type ClusterError, thrownBy } from "./ClusterError.ts"
import type { Connection } from "./Connection.ts"

export interface RetryOptions {
  readonly timers: TimersShape
  /** Default 10, as client-go's. */
  readonly maxRetries?: number
}

/** How long the server asks to wait before the same request may be sent again; undefined: it does not ask. */
export const retryAfterMs = (error: ClusterError): number | undefined => {
  if (error._tag !== "ApiError" || (error.code !== 429 && error.code < 500)) return undefined
  const seconds = error.status.details?.retryAfterSeconds
  return seconds === undefined || seconds < 0 ? undefined : seconds * 1000
}

/**
 * A connection that sends a request or a watch again which the server refused with 429 or 5xx and a time to wait, up to
 * `maxRetries` times. Put it over a rate limit: a repeat counts as a request. Upstream: client-go/rest/with_retry.go.
 */
export const retrying = (connection: Connection, { maxRetries = 10, timers }: RetryOptions): Connection => ({
  send: (request, reply) => {
    let retries = 0
    const attempt = (): void =>
      connection.send(request, (answer) => {
        const waitMs = Result.isFailure(answer) && retries < maxRetries ? retryAfterMs(answer.failure) : undefined
        if (waitMs === undefined) return reply(answer)
        retries++
        timers.after(waitMs, () => {
          try {
            attempt()
          } catch (error) {
            reply(Result.fail(thrownBy(`${request.verb} ${request.kind}`, error)))
          }
        })
      })
    attempt()
  },
  watch: (request, sink) => {
    let retries = 0
    let cancelled = false
    let cancel: (() => void) | undefined
    const attempt = (): void => {
      if (cancelled) return
      let begun = false
      cancel = connection.watch(request, {
        events: (batch) => {
          begun = true
          sink.events(batch)
        },
        end: (error) => {
          const mayRepeat = error !== undefined && !begun && retries < maxRetries
          const waitMs = mayRepeat ? retryAfterMs(error) : undefined
          if (waitMs === undefined) return sink.end(error)
          retries++
          timers.after(waitMs, () => {
            try {
              attempt()
            } catch (thrown) {
              sink.end(thrownBy(`watch ${request.kind}`, thrown))
            }
          })
        }
      })
    }
    attempt()
    return () => {
      cancelled = true
      cancel?.()
    }
  }
})
