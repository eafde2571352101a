import type { LateRenewals } from "@rollcall/cluster"
import { grown, type NumberedTimers, type Rng, type TimersShape } from "@rollcall/time"

/** What a channel does when the time of a watch has come. */
export interface WatchDue {
  readonly finalBookmark: (row: number) => void
  readonly timeout: (row: number) => void
}

const INITIAL_SIZE = 64
/** The longest usual timeout of a watch. */
const TIMEOUT_MS = 600_000

/**
 * The watches of a server that have a timeout, as rows of numbers: 10,000 watches of kubelets go on in place 80,000 times an
 * hour, and each of the objects that a watch consists of is a cache miss. A watch is *known* while its row has all that
 * changes when it goes on; its objects are told late, before they are used. docs/reference/columns.md lists the columns.
 */
export class WatchColumns<W> {
  readonly watchers: Array<W | undefined> = []
  private readonly dues: Array<WatchDue | undefined> = []
  /** How a known watch draws its next timeout. */
  private readonly randoms: Array<Rng | undefined> = []
  private readonly timeouts: Array<LateRenewals["timeoutSecondsOf"] | undefined> = []
  /** 1 if bookmarks are told late. */
  isLate = new Uint8Array(INITIAL_SIZE)
  isKnown = new Uint8Array(INITIAL_SIZE)
  /** 1 if it reads heartbeats from columns, and the row of those that has the object which it watches, or -1. */
  isReader = new Uint8Array(INITIAL_SIZE)
  heartbeatRow = new Int32Array(INITIAL_SIZE)
  /** 1 if it gets a last bookmark before its timeout. */
  hasFinal = new Uint8Array(INITIAL_SIZE)
  /** Only while it is late: the revision from which it started. */
  startRevision = new Float64Array(INITIAL_SIZE)
  /** Only while it is late: the last round of bookmarks that its client knows. */
  round = new Float64Array(INITIAL_SIZE)
  /** The revision of its final bookmark, 0 if that has been told or is not due. */
  finalRevision = new Float64Array(INITIAL_SIZE)
  /** When it last went on without being told, 0 if it was told, and its place in the order of watches then. */
  renewedMs = new Float64Array(INITIAL_SIZE)
  order = new Float64Array(INITIAL_SIZE)
  /** The revision up to which it skips events since then. */
  afterRevision = new Float64Array(INITIAL_SIZE)
  private readonly freeRows: Array<number> = []
  private readonly timers: NumberedTimers

  constructor(numbered: NonNullable<TimersShape["numbered"]>) {
    this.timers = numbered((number) => {
      const row = number >> 1
      if ((number & 1) === 0) this.dues[row]?.finalBookmark(row)
      else this.dues[row]?.timeout(row)
    }, TIMEOUT_MS)
  }

  add(watcher: W, due: WatchDue): number {
    const row = this.freeRows.pop() ?? this.watchers.length
    if (row >= this.isLate.length) this.grow()
    this.watchers[row] = watcher
    this.dues[row] = due
    this.isLate[row] = 0
    this.isKnown[row] = 0
    this.isReader[row] = 0
    this.heartbeatRow[row] = -1
    this.hasFinal[row] = 0
    this.finalRevision[row] = 0
    this.renewedMs[row] = 0
    this.afterRevision[row] = 0
    return row
  }

  /** Makes a watch known. */
  know(row: number, { random, timeoutSecondsOf }: LateRenewals): void {
    this.randoms[row] = random
    this.timeouts[row] = timeoutSecondsOf
    this.isKnown[row] = 1
  }

  /** Returns the next timeout of a known watch. */
  nextTimeoutSeconds(row: number): number {
    const random = this.randoms[row]
    const timeoutSecondsOf = this.timeouts[row]
    if (random === undefined || timeoutSecondsOf === undefined) throw new Error(`watch ${row} is not known`)
    return timeoutSecondsOf(random())
  }

  planFinal(row: number, atMs: number): void {
    this.hasFinal[row] = 1
    this.timers.plan(row << 1, atMs)
  }

  planTimeout(row: number, atMs: number): void {
    this.timers.plan((row << 1) | 1, atMs)
  }

  delete(row: number): void {
    this.timers.cancel(row << 1)
    this.timers.cancel((row << 1) | 1)
    this.watchers[row] = undefined
    this.dues[row] = undefined
    this.randoms[row] = undefined
    this.timeouts[row] = undefined
    this.freeRows.push(row)
  }

  private grow(): void {
    const size = this.isLate.length * 2
    this.isLate = grown(this.isLate, new Uint8Array(size))
    this.isKnown = grown(this.isKnown, new Uint8Array(size))
    this.isReader = grown(this.isReader, new Uint8Array(size))
    this.heartbeatRow = grown(this.heartbeatRow, new Int32Array(size))
    this.hasFinal = grown(this.hasFinal, new Uint8Array(size))
    this.startRevision = grown(this.startRevision, new Float64Array(size))
    this.round = grown(this.round, new Float64Array(size))
    this.finalRevision = grown(this.finalRevision, new Float64Array(size))
    this.renewedMs = grown(this.renewedMs, new Float64Array(size))
    this.order = grown(this.order, new Float64Array(size))
    this.afterRevision = grown(this.afterRevision, new Float64Array(size))
  }
}
