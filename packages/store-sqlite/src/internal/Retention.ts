import type { Revision } from "@rollcall/store"

/** The limits of history. What exceeds one of them is compacted. */
export interface HistoryLimits {
  readonly ageMs: number
  readonly revisions: number
  /** The size of values, in characters. */
  readonly size: number
}

interface Mark {
  readonly revision: Revision
  readonly timeMs: number
  /** The size of everything written before it. */
  readonly size: number
}

/** The precision of the limits: marks are this fraction of a limit apart. */
const GRAIN = 1 / 32

/** Decides from which revision history is kept, by marks that it records as time passes and writes happen. */
export class Retention {
  private readonly limits: HistoryLimits
  private marks: Array<Mark> = []
  private size = 0

  /** History starts at `oldest`; part of it was written before this process started. */
  constructor(limits: HistoryLimits, oldest: Revision, newest: Revision, nowMs: number) {
    this.limits = limits
    if (oldest < newest) this.marks.push({ revision: oldest, timeMs: nowMs, size: 0 })
    this.marks.push({ revision: newest, timeMs: nowMs, size: 0 })
  }

  /** Records the store's revision, and the size written since the last call. */
  note(revision: Revision, written: number, nowMs: number): void {
    this.size += written
    const { ageMs, revisions, size } = this.limits
    const last = this.marks[this.marks.length - 1] as Mark
    if (
      revision - last.revision >= revisions * GRAIN ||
      this.size - last.size >= size * GRAIN ||
      (nowMs - last.timeMs >= ageMs * GRAIN && revision > last.revision)
    ) {
      this.marks.push({ revision, timeMs: nowMs, size: this.size })
    }
  }

  /** Returns the revision before which history is to be compacted now; undefined: none. */
  due(revision: Revision, nowMs: number): Revision | undefined {
    const { ageMs, revisions, size } = this.limits
    const spent = this.marks.findLastIndex(
      (mark) => nowMs - mark.timeMs >= ageMs || revision - mark.revision >= revisions || this.size - mark.size >= size
    )
    if (spent < 0) return undefined
    const floor = this.marks[spent] as Mark
    this.marks = this.marks.slice(spent)
    return floor.revision
  }
}
