import { isIP } from "node:net"
import { type Operation, type Revision, StoreFailure, type StoreShape } from "@rollcall/store"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** Upstream: pkg/controlplane/instance.go, createLeaseReconciler. */
const PREFIX = "/registry/masterleases/"

/** Upstream: DefaultEndpointReconcilerTTL: a server that does not renew is no longer found. */
const LEASE_MS = 15_000

/** The servers of one store, each found by a key that the store deletes unless its server renews it. */
export interface ServerLeases {
  readonly renew: (ip: string) => Effect.Effect<void, StoreFailure>
  /** Succeeds with whether the key was there. */
  readonly remove: (ip: string) => Effect.Effect<boolean, StoreFailure>
  /** The addresses of the servers that live, in order. */
  readonly list: Effect.Effect<ReadonlyArray<string>, StoreFailure>
}

const leaseOf = (ip: string, generation: number) => ({
  kind: "Endpoints",
  apiVersion: "v1",
  // Upstream counts up here, because it writes only what has changed.
  metadata: { generation },
  subsets: [{ addresses: [{ ip }] }]
})

/** Returns the leases in a store that other servers use too; undefined for one that only this server has. */
export const serverLeases = (store: StoreShape): ServerLeases | undefined => {
  if (store.current === undefined) return undefined
  let generation = 0
  const list = Effect.callback<ReadonlyArray<string>, StoreFailure>((resume) =>
    store.range(PREFIX, {}, (result) => {
      if (Result.isFailure(result)) {
        const { message } = result.failure
        return resume(Effect.fail(new StoreFailure({ message })))
      }
      const addresses = result.success.entries.map(({ key }) => key.slice(PREFIX.length))
      resume(Effect.succeed(addresses.filter((address) => isIP(address) !== 0).sort()))
    })
  )
  const write = (operation: Operation) =>
    Effect.callback<Revision, StoreFailure>((resume) =>
      store.write([operation], (result) => {
        if (Result.isSuccess(result)) return resume(Effect.succeed(result.success))
        const { failure } = result
        resume(Effect.fail(failure._tag === "StoreFailure" ? failure : new StoreFailure({ message: failure.message })))
      })
    )
  return {
    list,
    renew: (ip) =>
      Effect.asVoid(write({ type: "put", key: `${PREFIX}${ip}`, value: leaseOf(ip, ++generation), ttlMs: LEASE_MS })),
    remove: (ip) =>
      Effect.flatMap(list, (before) => Effect.as(write({ type: "delete", key: `${PREFIX}${ip}` }), before.includes(ip)))
  }
}
