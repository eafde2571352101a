import type { ErrorHandling } from "@rollcall/time"
import * as Result from "effect/Result"
import { connectionErrorFrom } from "./ClusterError.ts"
import type { Answer, Connection } from "./Connection.ts"

/**
 * Wraps a connection for plain code that must not be interrupted by an exception. A request that throws is answered
 * with a ConnectionError; an error that the caller's own reply or sink throws is handed to `handleError`.
 */
export const neverThrowing = (connection: Connection, { handleError }: ErrorHandling): Connection => ({
  send: (request, reply) => {
    let isAnswered = false
    const answer = (result: Answer): void => {
      isAnswered = true
      try {
        reply(result)
      } catch (error) {
        handleError("reply", error, { verb: request.verb, kind: request.kind })
      }
    }
    try {
      return connection.send(request, answer)
    } catch (error) {
      if (isAnswered) handleError("request", error, { verb: request.verb, kind: request.kind })
      else answer(Result.fail(connectionErrorFrom(`${request.verb} ${request.kind}`, error)))
      return () => undefined
    }
  },
  watch: (request, sink) => {
    const fields = { verb: "watch", kind: request.kind }
    const safe = <A>(act: (value: A) => void) => {
      return (value: A): void => {
        try {
          act(value)
        } catch (error) {
          handleError("watch", error, fields)
        }
      }
    }
    return connection.watch(request, { events: safe(sink.events), end: safe(sink.end) })
  }
})
