import { getNodeCondition, type Lease, type Node, nodeReady } from "@rollcall/api"
import { isSilent, lastSignOf } from "@rollcall/node-controller"
import type { Listed } from "./outsideOwners.ts"

/** Nodes that had stopped sending heartbeats when their cluster was read, while their Ready condition was not Unknown yet. */
export interface Silence {
  readonly names: ReadonlySet<string>
  /**
   * The seconds, by the clock of the snapshot, since the last heartbeat of any node, if all nodes were silent by that clock; else
   * undefined.
   */
  readonly allForSeconds: number | undefined
}

const noSilence: Silence = { names: new Set(), allForSeconds: undefined }

/**
 * The clock of the machine that took the snapshot may be ahead of the cluster's: it counts only up to this long after the last heartbeat.
 */
const CLOCK_AHEAD_MS = 1000

/**
 * Returns the nodes of a snapshot without a heartbeat for longer than a healthy kubelet ever takes. `takenMs` is the time of the snapshot,
 * if it states one.
 */
export const silentNodes = (
  listed: ReadonlyArray<Pick<Listed, "kind" | "object">>,
  takenMs: number | undefined
): Silence => {
  const leases = new Map(
    listed.flatMap(({ kind, object }) => (kind === "Lease" ? [[object.metadata.name ?? "", object as Lease]] : []))
  )
  if (takenMs === undefined || leases.size === 0) return noSilence
  const heartbeats = listed.flatMap(({ kind, object }) => {
    if (kind !== "Node") return []
    const node = object as Node
    if (getNodeCondition(node, nodeReady)?.status === "Unknown") return []
    const lease = leases.get(node.metadata.name ?? "")
    // A kubelet renews its Lease from its start: without a Lease, nothing is known about the node's heartbeats.
    const signMs = lease?.spec?.renewTime === undefined ? undefined : lastSignOf(node, lease)
    return signMs === undefined || lease === undefined ? [] : [{ name: node.metadata.name ?? "", lease, signMs }]
  })
  if (heartbeats.length === 0) return noSilence
  const latestMs = heartbeats.reduce((latest, { signMs }) => Math.max(latest, signMs), 0)
  const nowMs = Math.min(takenMs, latestMs + CLOCK_AHEAD_MS)
  return {
    names: new Set(heartbeats.filter(({ lease, signMs }) => isSilent(signMs, lease, nowMs)).map(({ name }) => name)),
    allForSeconds: heartbeats.every(({ lease, signMs }) => isSilent(signMs, lease, takenMs))
      ? Math.round((takenMs - latestMs) / 1000)
      : undefined
  }
}
