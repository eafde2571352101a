import type { KindName } from "@rollcall/api"
import { type KubeObject, type Lease, type Node, parseTime } from "@rollcall/api"
import type { Connection, WatchEvent } from "@rollcall/cluster"
import { must } from "../kill/Ledger.ts"

/** Everything that changes in a cluster that only heartbeats: one watch of each kind that anyone here writes. */
const KINDS: ReadonlyArray<KindName> = [
  "Lease",
  "Node",
  "Event",
  "Pod",
  "ConfigMap",
  "ServiceAccount",
  "Namespace",
  "PodDisruptionBudget"
]

/** Two renewals of a kubelet are at most this far apart: 10 s and the jitter of client-go, and what a busy machine adds. */
const LONGEST_GAP_MS = 15_000

/** What watches told since a revision. */
export interface Roll {
  /** Revisions that were told, of all kinds: each once. */
  readonly revisions: () => number
  readonly newest: () => number
  readonly renewals: () => number
  /** The revision of each Lease as it was told last. */
  readonly leases: ReadonlyMap<string, number>
  /** Nodes that ceased to be Ready. */
  readonly notReady: ReadonlyArray<string>
  /** The longest time between two renewals of one Lease. */
  readonly longestGapMs: () => number
  readonly lateRenewals: () => number
  readonly ended: ReadonlyArray<string>
  readonly stop: () => void
}

const renewedAt = (lease: Lease): number => parseTime(lease.spec?.renewTime ?? "")

/** Follows all that happens after a revision, over watches of its own. */
export const callRoll = (connection: Connection, from: number): Roll => {
  const leases = new Map<string, number>()
  const renewed = new Map<string, number>()
  const notReady: Array<string> = []
  const ended: Array<string> = []
  const figures = { revisions: 0, newest: from, renewals: 0, longestGapMs: 0, late: 0 }

  const onLease = (lease: Lease, revision: number) => {
    const name = `${lease.metadata.namespace}/${lease.metadata.name}`
    const at = renewedAt(lease)
    const before = renewed.get(name)
    figures.renewals++
    leases.set(name, revision)
    renewed.set(name, at)
    if (before === undefined) return
    figures.longestGapMs = Math.max(figures.longestGapMs, at - before)
    if (at - before > LONGEST_GAP_MS) figures.late++
  }
  const onNode = (node: Node) => {
    const ready = node.status?.conditions?.find(({ type }) => type === "Ready")
    if (ready?.status !== "True") notReady.push(`${node.metadata.name}: ${ready?.status} ${ready?.reason}`)
  }
  const follow = (kind: KindName) => {
    let newest = from
    const see = (event: WatchEvent) => {
      if (event.type === "ERROR" || event.type === "BOOKMARK") return
      const object: KubeObject = event.object
      const revision = Number(object.metadata.resourceVersion)
      must(revision > newest, () => `${kind}: an event of ${revision} after ${newest}`)
      newest = revision
      figures.newest = Math.max(figures.newest, revision)
      figures.revisions++
      if (kind === "Lease") onLease(object as Lease, revision)
      else if (kind === "Node") onNode(object as Node)
    }
    return connection.watch(
      { verb: "watch", kind, resourceVersion: String(from), allowWatchBookmarks: true },
      {
        events: (batch) => batch.forEach(see),
        end: (error) => ended.push(`${kind}: ${error?.message ?? "closed"}`)
      }
    )
  }
  const stops = KINDS.map(follow)
  return {
    revisions: () => figures.revisions,
    newest: () => figures.newest,
    renewals: () => figures.renewals,
    leases,
    notReady,
    longestGapMs: () => figures.longestGapMs,
    lateRenewals: () => figures.late,
    ended,
    stop: () => {
      for (const stop of stops) stop()
    }
  }
}
