import type { KindName } from "@rollcall/api"
import { type KubeObject, type Lease, type Node, parseTime } from "@rollcall/api"
import type { Connection, WatchEvent } from "@rollcall/cluster"
import { assertThat } from "../kill/Ledger.ts"

/** The kinds that change in a cluster with heartbeats only: one watch for each. */
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

/** The longest allowed interval between two renewals of a kubelet: 10 s, plus client-go's jitter and the delays of a busy machine. */
const MAX_RENEWAL_INTERVAL_MS = 15_000

/** The watch events since a revision. */
export interface EventCounts {
  /** Returns the number of distinct revisions in events of all kinds. */
  readonly revisions: () => number
  /** Returns the newest revision. */
  readonly newest: () => number
  /** Returns the number of Lease events. */
  readonly renewals: () => number
  /** The last revision of each Lease in the events. */
  readonly leases: ReadonlyMap<string, number>
  /** Nodes that stopped being Ready. */
  readonly notReady: ReadonlyArray<string>
  /** Returns the longest time between two renewals of one Lease. */
  readonly longestGapMs: () => number
  /** Returns the number of renewals that came later than the longest allowed interval. */
  readonly lateRenewals: () => number
  /** Watches that ended, each with its error. */
  readonly ended: ReadonlyArray<string>
  readonly stop: () => void
}

const renewedAt = (lease: Lease): number => parseTime(lease.spec?.renewTime ?? "")

/** Collects all events after a revision, over its own watches. */
export const countEvents = (connection: Connection, from: number): EventCounts => {
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
    if (at - before > MAX_RENEWAL_INTERVAL_MS) figures.late++
  }
  const onNode = (node: Node) => {
    const ready = node.status?.conditions?.find(({ type }) => type === "Ready")
    if (ready?.status !== "True") notReady.push(`${node.metadata.name}: ${ready?.status} ${ready?.reason}`)
  }
  const watchKind = (kind: KindName) => {
    let newest = from
    const countEvent = (event: WatchEvent) => {
      if (event.type === "ERROR" || event.type === "BOOKMARK") return
      const object: KubeObject = event.object
      const revision = Number(object.metadata.resourceVersion)
      assertThat(revision > newest, () => `${kind}: an event of ${revision} after ${newest}`)
      newest = revision
      figures.newest = Math.max(figures.newest, revision)
      figures.revisions++
      if (kind === "Lease") onLease(object as Lease, revision)
      else if (kind === "Node") onNode(object as Node)
    }
    return connection.watch(
      { verb: "watch", kind, resourceVersion: String(from), allowWatchBookmarks: true },
      {
        events: (batch) => batch.forEach(countEvent),
        end: (error) => ended.push(`${kind}: ${error?.message ?? "closed"}`)
      }
    )
  }
  const stops = KINDS.map(watchKind)
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
