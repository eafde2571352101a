import type { KindState } from "./KindState.ts"
import type { Objects } from "./Objects.ts"
import { QuietLeases } from "./QuietLeases.ts"
import { QuietNodes } from "./QuietNodes.ts"

/** The kinds whose heartbeats are kept in columns. */
export interface QuietKinds {
  readonly leases: QuietLeases
  readonly nodes: QuietNodes
  /** Takes all heartbeats out of the columns. */
  readonly leaveAll: () => void
}

/** Returns undefined if the store needs every object, or if the timers have no numbered ones. */
export const quietKindsOf = (
  { Lease, Node }: Readonly<Record<"Lease" | "Node", KindState>>,
  objects: Objects
): QuietKinds | undefined => {
  const { quiet } = objects.store
  const { numbered } = objects.timers
  if (quiet === undefined || numbered === undefined) return undefined
  const leases = new QuietLeases(Lease, objects, quiet, numbered)
  const nodes = new QuietNodes(Node, objects, quiet, numbered)
  const leaveAll = () => {
    leases.columns.leaveAll()
    nodes.columns.leaveAll()
  }
  return { leases, nodes, leaveAll }
}
