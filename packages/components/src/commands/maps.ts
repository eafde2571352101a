import type { ConfigMap } from "@rollcall/api"
import { type ClusterError, type ClusterShape, isAlreadyExists, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { fleetNamespace } from "../fleet/FleetDocument.ts"

/** Reads a ConfigMap of the fleet; undefined if it does not exist. */
export const readMap = (cluster: ClusterShape, name: string): Effect.Effect<ConfigMap | undefined, ClusterError> =>
  cluster
    .get("ConfigMap", { namespace: fleetNamespace, name })
    .pipe(Effect.catchIf(isNotFound, () => Effect.succeed(undefined)))

/**
 * Sets entries of a ConfigMap of the fleet, or removes them with null; creates the map if necessary. Returns the map.
 */
export const writeMap = Effect.fnUntraced(function* (
  cluster: ClusterShape,
  name: string,
  data: Readonly<Record<string, string | null>>
) {
  const key = { namespace: fleetNamespace, name }
  const patched = cluster.patch("ConfigMap", key, "merge", { data })
  if ((yield* readMap(cluster, name)) !== undefined) return yield* patched
  const valuesToSet = Object.entries(data).filter((entry): entry is [string, string] => entry[1] !== null)
  const map: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: key, data: Object.fromEntries(valuesToSet) }
  return yield* Effect.catchIf(cluster.create("ConfigMap", map), isAlreadyExists, () => patched)
})
