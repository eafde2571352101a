import { formatMicroTime, type Lease, type Node } from "@rollcall/api"
import { type HeartbeatColumns, isOlder } from "@rollcall/cluster"
import { isSignOfLife } from "./NodeHealth.ts"
import type { NodeRecord } from "./NodeRecord.ts"
import { PassColumns } from "./PassColumns.ts"

/** Whether the first is an earlier version of the same node. */
const isBehind = (node: Node, other: Node | undefined): boolean =>
  other !== undefined && node.metadata.uid === other.metadata.uid && isOlder(node, other)

const isOfRevision = ({ metadata: { resourceVersion } }: Lease, revision: number | undefined): boolean =>
  resourceVersion === String(revision)

/** The lease as an earlier renewal left it. */
const renewedAt = (lease: Lease, renewedMs: number): Lease => ({
  ...lease,
  spec: { ...lease.spec, renewTime: formatMicroTime(renewedMs) }
})

/** The records by name, and in the order of a pass. */
export class NodeRecords {
  private readonly byName = new Map<string, NodeRecord>()
  private readonly deleted = new Set<NodeRecord>()
  private sorted: ReadonlyArray<NodeRecord> | undefined
  /** The columns that have the newest renewals of the records with a `row`. */
  columns: HeartbeatColumns | undefined
  private unfollow: (() => void) | undefined
  private unfollowReports: (() => void) | undefined
  readonly pass = new PassColumns()

  /** Returns the record of a name, with its newest Node. */
  find(name: string): NodeRecord | undefined {
    this.pass.reports?.makeOf(name)
    return this.byName.get(name)
  }

  /** Returns the record of a name; the Node of one in the columns may lack its last unchanged reports. */
  peek(name: string): NodeRecord | undefined {
    return this.byName.get(name)
  }

  /** Returns the record of a name, creating it if need be. */
  getOrCreate(name: string): NodeRecord {
    const present = this.byName.get(name)
    if (present !== undefined) return present
    const record: NodeRecord = {
      name,
      node: undefined,
      lease: undefined,
      newerLease: undefined,
      known: undefined,
      health: undefined,
      needsRetry: false,
      lastCheck: undefined,
      row: this.columns?.idOf(name) ?? -1,
      countedMs: Number.NaN,
      reportRow: this.pass.reports?.idOf(name) ?? -1,
      reportedMs: 0,
      position: -1
    }
    this.byName.set(name, record)
    return record
  }

  /** Sets the cached version, which may be older than the controller's own write. */
  setNode(name: string, node: Node | undefined): void {
    const record = this.getOrCreate(name)
    if (node !== undefined && isBehind(node, record.node)) return
    this.pass.leave(record)
    if (record.reportRow >= 0 && node !== undefined) this.setReported(record, node)
    if ((record.node === undefined) !== (node === undefined)) this.sorted = undefined
    record.node = node
    if (node !== undefined) return
    record.needsRetry = false
    this.deleted.add(record)
  }

  /**
   * Sets the version that the controller itself wrote, before the cache has it. With the old version a check would
   * queue a node that is ready again, or one that already has its taint: each costs the zone a token, which is ten
   * seconds at the normal rate. Upstream has the same gap, but hardly ever hits it. Returns whether the version was
   * new.
   */
  setWritten(node: Node): boolean {
    const record = this.byName.get(node.metadata.name ?? "")
    if (record?.node === undefined || !isBehind(record.node, node)) return false
    this.pass.leave(record)
    record.node = node
    return true
  }

  setLease(name: string, lease: Lease | undefined): void {
    const record = this.byName.get(name)
    if (record !== undefined) {
      this.pass.leave(record)
      record.lease = lease
      record.newerLease = undefined
    } else if (lease !== undefined) this.getOrCreate(name).lease = lease
  }

  /** Reads renewals from columns from now on, or no more (undefined). */
  setColumns(columns: HeartbeatColumns | undefined): void {
    this.unfollow?.()
    this.columns = columns
    this.unfollow = columns?.follow({
      entered: (id, name) => {
        const record = this.getOrCreate(name)
        this.pass.leave(record)
        const { lastCheck, lease } = record
        record.row = id
        const isCounted = lease !== undefined && lastCheck?.lease === lease && isOfRevision(lease, columns.revision[id])
        record.countedMs = isCounted ? (columns.heartbeatMs[id] as number) : Number.NaN
      },
      left: (_, name) => {
        const record = this.byName.get(name)
        if (record === undefined || record.row < 0) return
        this.pass.leave(record)
        this.rememberCounted(record)
        record.row = -1
      }
    })
  }

  /** Reads unchanged statuses from columns from now on, or no more (undefined). */
  setReports(reports: HeartbeatColumns | undefined): void {
    this.unfollowReports?.()
    this.pass.reports = reports
    this.unfollowReports = reports?.follow({
      entered: (id, name) => {
        const record = this.getOrCreate(name)
        this.pass.leave(record)
        record.reportRow = id
        record.reportedMs = reports.heartbeatMs[id] as number
      },
      left: (_, name) => {
        const record = this.byName.get(name)
        if (record === undefined) return
        this.pass.leave(record)
        record.reportRow = -1
      }
    })
  }

  /** Notes that a version of a node shows the last report in the columns, if it does. */
  private setReported(record: NodeRecord, { metadata }: Node): void {
    const { reports } = this.pass
    const { reportRow } = record
    if (reports !== undefined && metadata.resourceVersion === String(reports.revision[reportRow]))
      record.reportedMs = reports.heartbeatMs[reportRow] as number
  }

  /** Returns the newest node of a record, which is made if it is in the columns. */
  newestNode(record: NodeRecord): Node | undefined {
    if (record.reportRow >= 0) this.pass.reports?.make(record.reportRow)
    return record.node
  }

  /** Returns the newest lease of a record, which is made if it is in the columns. */
  newestLease(record: NodeRecord): Lease | undefined {
    this.pass.leave(record)
    if (record.row >= 0) {
      this.columns?.make(record.row)
      this.rememberCounted(record)
    }
    return record.lease
  }

  /** Notes that the newest lease of a record is the counted one, for later checks of the columns. */
  setCounted(record: NodeRecord): void {
    if (record.row >= 0) record.countedMs = this.columns?.heartbeatMs[record.row] ?? Number.NaN
  }

  /** Takes over from the columns which lease the last check has counted: the newest one, or an earlier one. */
  private rememberCounted(record: NodeRecord): void {
    const { countedMs, health, lastCheck, lease } = record
    if (health === undefined || lastCheck === undefined || lease === undefined || Number.isNaN(countedMs)) return
    const isNewest = countedMs === this.columns?.heartbeatMs[record.row]
    const counted = isNewest ? lease : renewedAt(lease, countedMs)
    // What was counted as an object is not counted once more.
    if (!isNewest && !isSignOfLife(health.lease, counted)) return
    health.lease = counted
    lastCheck.lease = counted
    record.newerLease = undefined
  }

  /** Replaces a lease, and remembers whether the new one is a later sign of life, for `newerLease`. */
  replaceLease(name: string, old: Lease, lease: Lease): void {
    const record = this.byName.get(name)
    if (record === undefined) {
      this.setLease(name, lease)
      return
    }
    this.pass.leave(record)
    const follows = record.lease === old && (record.newerLease === old || record.health?.lease === old)
    record.newerLease = follows && isSignOfLife(old, lease) ? lease : undefined
    record.lease = lease
  }

  /** Records of the existing nodes, by name. */
  present(): ReadonlyArray<NodeRecord> {
    if (this.sorted === undefined) {
      this.sorted = [...this.byName.values()]
        .filter((record) => record.node !== undefined)
        .sort((left, right) => (left.name < right.name ? -1 : 1))
      this.pass.reset(this.sorted)
    }
    return this.sorted
  }

  /** Nodes that were deleted since the last call, and have not been created again; by name. */
  takeDeleted(): ReadonlyArray<NodeRecord> {
    if (this.deleted.size === 0) return []
    const missing = [...this.deleted].filter((record) => record.node === undefined)
    this.deleted.clear()
    return missing.sort((left, right) => (left.name < right.name ? -1 : 1))
  }
}
