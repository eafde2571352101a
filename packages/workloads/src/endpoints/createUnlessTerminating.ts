import type { KindName, ObjectOf } from "@rollcall/api"
import type { ClusterError, ClusterShape } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { isNamespaceTerminating } from "../replicaset/PodControl.ts"

/** Creates an object; undefined in a terminating namespace, where a later attempt would fail as well. */
export const createUnlessTerminating = <K extends KindName>(
  cluster: ClusterShape,
  kind: K,
  object: ObjectOf<K>
): Effect.Effect<ObjectOf<K> | undefined, ClusterError> =>
  cluster.create(kind, object).pipe(Effect.catchIf(isNamespaceTerminating, () => Effect.succeed(undefined)))
