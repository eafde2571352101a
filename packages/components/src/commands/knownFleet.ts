import type { ClusterShape } from "@rollcall/cluster"
import { invalid } from "@rollcall/input"
import { type Candidate, zoneOfNode } from "@rollcall/machines"
import type { KnownNodes } from "@rollcall/simulator/scenario"
import * as Effect from "effect/Effect"
import { type FleetGroup, fleetName, readGroups } from "../fleet/FleetDocument.ts"
import { fleetCandidates } from "../fleet/fleetCandidates.ts"
import { readMap } from "./maps.ts"

/** The modelled nodes of a cluster, from its list of groups and its Nodes. */
export interface KnownFleet {
  readonly groups: ReadonlyMap<string, FleetGroup>
  readonly candidates: ReadonlyArray<Candidate>
  /** Nodes of the cluster that are not modelled. */
  readonly others: ReadonlySet<string>
  readonly known: KnownNodes
}

/** Reads the groups of the fleet; fails if the cluster has no fleet. */
export const readFleet = Effect.fnUntraced(function* (cluster: ClusterShape) {
  const map = yield* readMap(cluster, fleetName)
  if (map !== undefined) return readGroups(map).entries
  return yield* invalid(
    "command line",
    "",
    `this cluster has no fleet of modelled nodes: no ConfigMap kube-system/${fleetName}`
  )
})

/** Reads the nodes and groups that commands can name; fails if the cluster has no fleet. */
export const knownFleet = Effect.fnUntraced(function* (cluster: ClusterShape) {
  const groups = yield* readFleet(cluster)
  const { items } = yield* cluster.list("Node")
  const candidates = fleetCandidates(groups.values(), items)
  const names = new Set(candidates.map(({ name }) => name))
  const fleet: KnownFleet = {
    groups,
    candidates,
    others: new Set(items.map(({ metadata }) => metadata.name ?? "").filter((name) => !names.has(name))),
    known: {
      names,
      groups: new Set(groups.keys()),
      zones: new Set(candidates.map(({ node }) => zoneOfNode(node)).filter((zone) => zone !== "")),
      mayGrow: false
    }
  }
  return fleet
})
