import { getNodeCondition, type Lease, type Node, nodeReady } from "@rollcall/api"
import { isSilent, lastSignOf } from "@rollcall/node-controller"
import type { Listed } from "./outsideOwners.ts"

/** Nodes that had fallen silent when their cluster was read, and of which the API did not know it yet. */
export interface Silence {
  readonly names: ReadonlySet<string>
  /** By the clock that the snapshot was taken by, no node had been heard of for so many seconds; undefined: some had. */
  readonly allForSeconds: number | undefined
}

const none: Silence = { names: new Set(), allForSeconds: undefined }

/** The clock of the machine that took the snapshot may be ahead of the cluster's: the latest sign of life counts more than it. */
const CLOCK_AHEAD_MS = 1000

/** Who of the nodes of a snapshot had been silent for longer than a kubelet that is well is. */
export const silentNodes = (
  listed: ReadonlyArray<Pick<Listed, "kind" | "object">>,
  takenMs: number | undefined
): Silence => {
  const leases = new Map(
    listed.flatMap(({ kind, object }) => (kind === "Lease" ? [[object.metadata.name ?? "", object as Lease]] : []))
  )
  if (takenMs === undefined || leases.size === 0) return none
  const heard = listed.flatMap(({ kind, object }) => {
    if (kind !== "Node") return []
    const node = object as Node
    if (getNodeCondition(node, nodeReady)?.status === "Unknown") return []
    const lease = leases.get(node.metadata.name ?? "")
    // A kubelet renews its Lease from the start: without one nothing is known of its node.
    const signMs = lease?.spec?.renewTime === undefined ? undefined : lastSignOf(node, lease)
    return signMs === undefined || lease === undefined ? [] : [{ name: node.metadata.name ?? "", lease, signMs }]
  })
  if (heard.length === 0) return none
  const latestMs = heard.reduce((latest, { signMs }) => Math.max(latest, signMs), 0)
  const nowMs = Math.min(takenMs, latestMs + CLOCK_AHEAD_MS)
  return {
    names: new Set(heard.filter(({ lease, signMs }) => isSilent(signMs, lease, nowMs)).map(({ name }) => name)),
    allForSeconds: heard.every(({ lease, signMs }) => isSilent(signMs, lease, takenMs))
      ? Math.round((takenMs - latestMs) / 1000)
      : undefined
  }
}
