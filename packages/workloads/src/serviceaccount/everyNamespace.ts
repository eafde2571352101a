import type { ConfigMap, Namespace, ServiceAccount } from "@rollcall/api"
import { type ClusterError, isAlreadyExists } from "@rollcall/cluster"
import * as Effect from "effect/Effect"

/** Whether objects can be created in the namespace: a terminating one refuses them. */
export const acceptsObjects = ({ metadata, status }: Namespace): boolean =>
  status?.phase !== "Terminating" && metadata.deletionTimestamp === undefined

export const ignoreAlreadyExists = (created: Effect.Effect<unknown, ClusterError>): Effect.Effect<void, ClusterError> =>
  Effect.asVoid(Effect.catchIf(created, isAlreadyExists, () => Effect.void))

/** The namespace of an object, to sync it, if the object has this name. */
export const namespacesToSync = ({ metadata }: ServiceAccount | ConfigMap, name: string): ReadonlyArray<string> =>
  metadata.name === name ? [metadata.namespace ?? ""] : []
