import type { KindName, ObjectOf } from "@rollcall/api"
import type { ApiRequest, ClusterError, Connection } from "@rollcall/cluster"
import * as Result from "effect/Result"

export type Reply<A> = (result: Result.Result<A, ClusterError>) => void

/** Sends a request whose answer has a known shape. */
export const ask = <A>(connection: Connection, request: ApiRequest, reply: Reply<A>): void =>
  connection.send(request, (answer) => reply(Result.map(answer, (value) => value as A)))

/** Writes an object's status under its own name, at the revision that it has. */
export const updateStatus = <K extends KindName>(
  connection: Connection,
  kind: K,
  object: ObjectOf<K>,
  reply: Reply<ObjectOf<K>>
): void => {
  const { name = "", namespace = "" } = object.metadata
  ask(connection, { verb: "update", kind, namespace, name, subresource: "status", object }, reply)
}

/** Calls `act` for each item at once, and tells when all have answered. */
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
