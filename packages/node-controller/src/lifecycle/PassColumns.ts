import type { Node } from "@rollcall/api"
import type { HeartbeatColumns } from "@rollcall/cluster"
import type { EvictionZone } from "@rollcall/eviction/rules"
import type { NodeRecord } from "./NodeRecord.ts"

/** Zones are numbered in a byte. */
const MAX_ZONES = 256

/**
 * What a check of a node with nothing new needs, in columns in the order of a pass: 5,000 nodes are checked 3.6 million
 * times an hour, and reading each record costs several cache misses. While a record is quick, the columns and not the
 * record have the renewal and the report that were counted last, and when that was.
 */
export class PassColumns {
  private records: ReadonlyArray<NodeRecord> = []
  private isQuick = new Uint8Array(0)
  private row = new Int32Array(0)
  private countedMs = new Float64Array(0)
  private probeMs = new Float64Array(0)
  private reportRow = new Int32Array(0)
  private reportedMs = new Float64Array(0)
  private reportRevision = new Float64Array(0)
  private zone = new Uint8Array(0)
  private ready = new Uint8Array(0)
  private zones: Array<EvictionZone> = []
  /** The columns that have the newest reports of the records with a `reportRow`. */
  reports: HeartbeatColumns | undefined
  /** Whether the pass has waited: a report since its start is counted by the next one. */
  private hasWaited = false

  /** Starts anew for other records. */
  reset(records: ReadonlyArray<NodeRecord>): void {
    for (const record of this.records) {
      this.leave(record)
      record.position = -1
    }
    const size = records.length
    this.records = records
    this.isQuick = new Uint8Array(size)
    this.row = new Int32Array(size)
    this.countedMs = new Float64Array(size)
    this.probeMs = new Float64Array(size)
    this.reportRow = new Int32Array(size)
    this.reportedMs = new Float64Array(size)
    this.reportRevision = new Float64Array(size)
    this.zone = new Uint8Array(size)
    this.ready = new Uint8Array(size)
    this.zones = []
    for (let position = 0; position < size; position++) (records[position] as NodeRecord).position = position
  }

  /** Whether the columns are in the order of these records. */
  isOf(records: ReadonlyArray<NodeRecord>): boolean {
    return this.records === records
  }

  /** Whether all zones of quick records have a state, so that none of them is to be registered. */
  get zonesAreKnown(): boolean {
    return this.zones.every(({ state }) => state !== undefined)
  }

  /** Returns the first position from `from` on whose record is not quick; the number of records if all are. */
  nextSlow(from: number): number {
    const { isQuick } = this
    let position = from
    while (position < isQuick.length && isQuick[position] === 1) position++
    return position
  }

  /** Makes a record quick, if its next check finds something new only in the columns of renewals, or in its silence. */
  enter(record: NodeRecord): void {
    const { health, lastCheck, position, row } = record
    if (position < 0 || row < 0 || health === undefined || lastCheck === undefined) return
    if (lastCheck.node !== record.node || record.known === undefined || record.needsRetry) return
    if (lastCheck.queue !== "no" || lastCheck.silent || lastCheck.excluded) return
    let zone = this.zones.indexOf(lastCheck.zone)
    if (zone < 0) zone = this.zones.push(lastCheck.zone) - 1
    if (zone >= MAX_ZONES) return
    this.isQuick[position] = 1
    this.row[position] = row
    this.reportRow[position] = record.reportRow
    this.reportedMs[position] = record.reportedMs
    this.countedMs[position] = record.countedMs
    this.probeMs[position] = health.probeMs
    this.zone[position] = zone
    this.ready[position] = lastCheck.ready ? 1 : 0
  }

  /** Gives a record back what the columns have of it: before anything reads or changes the record. */
  leave(record: NodeRecord): void {
    const { health, position } = record
    if (position < 0 || this.isQuick[position] === 0) return
    this.isQuick[position] = 0
    record.countedMs = this.countedMs[position] as number
    if (health !== undefined) health.probeMs = this.probeMs[position] as number
    const reportedMs = this.reportedMs[position] as number
    if (reportedMs !== record.reportedMs) this.takeOverReport(record, reportedMs)
  }

  /** Lets a record show the report that was counted last, as a check of its Node would have. */
  private takeOverReport(record: NodeRecord, reportedMs: number): void {
    const { health, lastCheck, position, reportRow } = record
    record.reportedMs = reportedMs
    if (health === undefined || lastCheck === undefined || this.reports === undefined) return
    const node = this.reports.valueAt(reportRow, this.reportRevision[position] as number, reportedMs) as Node
    health.status = node.status ?? {}
    health.lease = undefined
    lastCheck.lease = undefined
    lastCheck.node = node
  }

  /** Handles the start of a pass. */
  started(): void {
    this.hasWaited = false
  }

  /**
   * Handles that the pass may wait before it checks the records from a position on. Reports before that which it has not
   * counted become objects, `whenMade` is told their positions, and later ones are not counted.
   */
  waits(from: number, whenMade: (position: number) => void): void {
    if (this.hasWaited) return
    this.hasWaited = true
    const { isQuick, records, reportedMs, reportRow, reports } = this
    if (reports === undefined) return
    for (let position = from; position < records.length; position++) {
      const at = reportRow[position] as number
      if (isQuick[position] === 0 || at < 0 || reports.heartbeatMs[at] === reportedMs[position]) continue
      reports.make(at)
      whenMade(position)
    }
  }

  /** Checks quick records from a position on. Returns the position of the first that needs more: it is silent, or not quick. */
  check(from: number, now: number, graceMs: number, { heartbeatMs: renewedMs }: HeartbeatColumns): number {
    const { countedMs, isQuick, probeMs, ready, reportedMs, reportRow, row, zone, zones } = this
    const reports = this.hasWaited ? undefined : this.reports
    let position = from
    for (; position < isQuick.length && isQuick[position] === 1; position++) {
      const renewed = renewedMs[row[position] as number] as number
      const at = reportRow[position] as number
      if (reports !== undefined && at >= 0 && reports.heartbeatMs[at] !== reportedMs[position]) {
        // As in `judgeNodeHealth`, a report counts, and so does the present renewal once more unless it is new.
        reportedMs[position] = reports.heartbeatMs[at] as number
        this.reportRevision[position] = reports.revision[at] as number
        countedMs[position] = renewed === countedMs[position] ? Number.NaN : renewed
        probeMs[position] = now
      } else if (renewed !== countedMs[position]) {
        countedMs[position] = renewed
        probeMs[position] = now
      } else if (now > (probeMs[position] as number) + graceMs) break
      const counted = zones[zone[position] as number] as EvictionZone
      counted.count(ready[position] === 1)
    }
    return position
  }
}
