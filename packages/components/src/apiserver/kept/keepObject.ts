import type { KindName, ObjectOf } from "@rollcall/api"
import { type ClusterError, type ClusterShape, isAlreadyExists, isConflict, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"

/**
 * Creates an object, or changes the stored one where `changed` returns another. What a concurrent writer did instead is
 * seen by the next call.
 */
export const keepObject = Effect.fnUntraced(function* <K extends KindName>(
  cluster: ClusterShape,
  kind: K,
  wanted: ObjectOf<K>,
  changed: (stored: ObjectOf<K>) => ObjectOf<K>
): Effect.fn.Return<void, ClusterError> {
  const { name = "", namespace } = wanted.metadata
  const stored = yield* cluster
    .get(kind, { name, namespace })
    .pipe(Effect.catchIf(isNotFound, () => Effect.succeed(undefined)))
  if (stored === undefined) {
    yield* cluster.create(kind, wanted).pipe(
      Effect.asVoid,
      Effect.catchIf(isAlreadyExists, () => Effect.void)
    )
    return
  }
  const next = changed(stored)
  if (next !== stored) {
    yield* cluster.update(kind, next).pipe(
      Effect.asVoid,
      Effect.catchIf(isConflict, () => Effect.void)
    )
  }
})
