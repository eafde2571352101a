import {
  type ApiRequest,
  type ClusterError,
  type Connection,
  checkedAnswer,
  connectionErrorFrom
} from "@rollcall/cluster"
import * as Result from "effect/Result"

/** Called once, with the answer to a request. */
export type Reply<A> = (result: Result.Result<A, ClusterError>) => void

/**
 * Sends a request whose answer is taken to be an `A`. If `send` throws, or the answer is not an object, the reply gets
 * an error. An exception of `reply` itself is passed on.
 */
export const ask = <A>(connection: Connection, request: ApiRequest, reply: Reply<A>): void => {
  let isAnswered = false
  try {
    connection.send(request, (answer) => {
      isAnswered = true
      reply(Result.map(checkedAnswer(answer), (value) => value as A))
    })
  } catch (error) {
    if (isAnswered) throw error
    reply(Result.fail(connectionErrorFrom(`${request.verb} ${request.kind}`, error)))
  }
}

/** Calls `act` for all items at once. Calls `done` when all have answered, with the first error. */
export const inParallel = <A>(
  items: ReadonlyArray<A>,
  act: (item: A, answered: (error: ClusterError | undefined) => void) => void,
  done: (error: ClusterError | undefined) => void
): void => {
  let pending = items.length
  let firstError: ClusterError | undefined
  if (pending === 0) done(undefined)
  for (const item of items) {
    act(item, (error) => {
      firstError ??= error
      pending--
      if (pending === 0) done(firstError)
    })
  }
}
