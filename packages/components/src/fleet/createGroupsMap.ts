import type { ConfigMap } from "@rollcall/api"
import { type ClusterShape, isAlreadyExists } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import { readMap, writeMap } from "../commands/maps.ts"
import { type FleetGroup, fleetName, fleetNamespace, readGroups } from "./FleetDocument.ts"

const groupsData = (groups: ReadonlyArray<FleetGroup>): Readonly<Record<string, string>> =>
  Object.fromEntries(groups.map((group) => [group.name, JSON.stringify(group)]))

/** Creates the ConfigMap of the groups, unless it exists. Returns false if it exists with other groups. */
export const createGroupsMap = Effect.fnUntraced(function* (cluster: ClusterShape, groups: ReadonlyArray<FleetGroup>) {
  const map: ConfigMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: fleetName, namespace: fleetNamespace },
    data: groupsData(groups)
  }
  const created = cluster.create("ConfigMap", map).pipe(
    Effect.as(true),
    Effect.catchIf(isAlreadyExists, () => Effect.succeed(false))
  )
  if (yield* created) return true
  const existing = yield* readMap(cluster, fleetName)
  const { entries } = readGroups(existing)
  const own = Object.entries(existing?.data ?? {}).filter(([name]) => entries.get(name)?.spread !== true)
  const missing = groups.filter(({ name }) => !entries.has(name))
  // Only parts of spread groups were started yet.
  if (own.length > 0 || missing.length < groups.length || entries.size === 0)
    return Equal.equals(Object.fromEntries(own), map.data)
  yield* writeMap(cluster, fleetName, groupsData(missing))
  return true
})
