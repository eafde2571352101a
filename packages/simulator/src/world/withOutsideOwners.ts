import { type Answer, type Connection, isNotFound } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { type OutsideOwner, standInOf } from "../snapshot/outsideOwners.ts"

const keyOf = (kind: string, namespace: string | undefined, name: string): string =>
  `${kind}/${namespace ?? ""}/${name}`

/**
 * Wraps a connection so that a get of an owner that the snapshot lacks returns a stand-in instead of NotFound. Otherwise the garbage
 * collector would delete the owner's objects, and `kubectl drain` would refuse its pods, unlike in the real cluster.
 */
export const withOutsideOwners = (connection: Connection, owners: ReadonlyArray<OutsideOwner>): Connection => {
  if (owners.length === 0) return connection
  const outside = new Map(owners.map((owner) => [keyOf(owner.kind, owner.namespace, owner.name), owner]))
  return {
    watch: connection.watch,
    send: (request, reply) => {
      const owner =
        request.verb === "get" && request.subresource === undefined
          ? outside.get(keyOf(request.kind, request.namespace, request.name))
          : undefined
      if (owner === undefined) return connection.send(request, reply)
      const answer = (given: Answer): void =>
        reply(Result.isFailure(given) && isNotFound(given.failure) ? Result.succeed(standInOf(owner)) : given)
      return connection.send(request, answer)
    }
  }
}
