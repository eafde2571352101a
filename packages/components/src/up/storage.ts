import { type ClusterError, type ClusterShape, isAlreadyExists } from "@rollcall/cluster"
import type { Plan } from "@rollcall/simulator"
import { standardClass } from "@rollcall/volumes"
import * as Effect from "effect/Effect"

/** Creates the StorageClasses of a cluster without any: the default one, and those that the scenario's claims name. */
export const createClasses = (
  cluster: ClusterShape,
  plan: Pick<Plan, "objects" | "storage"> | undefined
): Effect.Effect<void, ClusterError> =>
  Effect.gen(function* () {
    const { items } = yield* cluster.list("StorageClass")
    const isGiven = plan?.objects.some(({ kind }) => kind === "StorageClass") === true
    const byDefault = items.length > 0 || isGiven ? [] : [standardClass]
    for (const storageClass of plan?.storage?.classes ?? byDefault) {
      yield* cluster.create("StorageClass", storageClass).pipe(Effect.catchIf(isAlreadyExists, () => Effect.void))
    }
  })
