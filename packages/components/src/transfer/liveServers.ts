import { type InvalidInput, invalid } from "@rollcall/input"
import type { StoreFailure, StoreShape } from "@rollcall/store"
import * as Effect from "effect/Effect"
import { serverLeases } from "../apiserver/kept/serverLeases.ts"

/**
 * Fails if API servers use the store of this etcd: they would not see an import as changes, and what they write during an
 * export or a comparison is in one of the two only. A server that was killed counts for 15 seconds. One that has only
 * loopback addresses, or keeps no endpoints, is not found.
 */
export const refuseWhileServed = (store: StoreShape, verb: string): Effect.Effect<void, StoreFailure | InvalidInput> =>
  Effect.flatMap(serverLeases(store)?.list ?? Effect.succeed([]), (servers) =>
    servers.length === 0
      ? Effect.void
      : Effect.fail(
          invalid(
            "command line",
            "--etcd-servers",
            `${servers.join(", ")} serve${servers.length === 1 ? "s" : ""} this store (/registry/masterleases): stop the API servers before ${verb}, or give --force`
          )
        )
  )
