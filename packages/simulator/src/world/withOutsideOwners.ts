import { type Answer, type Connection, isNotFound } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { type OutsideOwner, standInOf } from "../snapshot/outsideOwners.ts"

const keyOf = (kind: string, namespace: string | undefined, name: string): string =>
  `${kind}/${namespace ?? ""}/${name}`

/**
 * A connection to a cluster that was taken from a snapshot without some of the owners that its objects name: asked for one of them,
 * it says that it is there. Who asks whether an owner is gone (the garbage collector, kubectl drain) would delete or refuse else what
 * the real cluster keeps or takes.
 */
export const withOutsideOwners = (to: Connection, owners: ReadonlyArray<OutsideOwner>): Connection => {
  if (owners.length === 0) return to
  const outside = new Map(owners.map((owner) => [keyOf(owner.kind, owner.namespace, owner.name), owner]))
  return {
    watch: to.watch,
    send: (request, reply) => {
      const owner =
        request.verb === "get" && request.subresource === undefined
          ? outside.get(keyOf(request.kind, request.namespace, request.name))
          : undefined
      if (owner === undefined) return to.send(request, reply)
      const answer = (given: Answer): void =>
        reply(Result.isFailure(given) && isNotFound(given.failure) ? Result.succeed(standInOf(owner)) : given)
      return to.send(request, answer)
    }
  }
}
