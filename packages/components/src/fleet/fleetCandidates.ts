import type { Node } from "@rollcall/api"
import type { Candidate } from "@rollcall/machines"
import { type FleetGroup, membersOf } from "./FleetDocument.ts"

/** Returns the expected Node of a group member that has not registered yet. */
const plannedNode = (name: string, { labels, zone }: FleetGroup): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name,
    labels: { ...(zone === undefined ? {} : { "topology.kubernetes.io/zone": zone }), ...labels }
  }
})

/** Returns all members of the groups as candidates of a selection, with the labels of those Nodes that exist. */
export const fleetCandidates = (groups: Iterable<FleetGroup>, nodes: ReadonlyArray<Node>): ReadonlyArray<Candidate> => {
  const byName = new Map(nodes.map((node) => [node.metadata.name ?? "", node]))
  return [...groups].flatMap((group) =>
    membersOf(group).map((name) => ({ name, group: group.name, node: byName.get(name) ?? plannedNode(name, group) }))
  )
}
