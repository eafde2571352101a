import type { KindName, ObjectOf } from "@rollcall/api"
import {
  type ApiRequest,
  type ClusterError,
  type Connection,
  checkedAnswer,
  connectionErrorFrom
} from "@rollcall/cluster"
import * as Result from "effect/Result"

export type Reply<A> = (result: Result.Result<A, ClusterError>) => void

/**
 * Sends a request whose answer has a known shape. A request that cannot be sent, or an answer that is not an object,
 * is an error.
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

/** Writes an object's status, with the resourceVersion that it has. */
export const updateStatus = <K extends KindName>(
  connection: Connection,
  kind: K,
  object: ObjectOf<K>,
  reply: Reply<ObjectOf<K>>
): void => {
  const { name = "", namespace = "" } = object.metadata
  ask(connection, { verb: "update", kind, namespace, name, subresource: "status", object }, reply)
}

/** Calls `act` for all items concurrently, and reports when all have answered. */
export const inParallel = <A>(
  items: ReadonlyArray<A>,
  act: (item: A, answered: (error: ClusterError | undefined) => void) => void,
  done: (error: ClusterError | undefined) => void
): void => {
  let pending = items.length
  let first: ClusterError | undefined
  if (pending === 0) done(undefined)
  for (const item of items) {
    act(item, (error) => {
      first ??= error
      pending--
      if (pending === 0) done(first)
    })
  }
}
