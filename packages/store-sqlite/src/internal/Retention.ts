import type { Revision } from "@rollcall/store"

/** How much history is kept. What exceeds one of these is forgotten. */
export interface HistoryLimits {
  readonly ageMs: number
  readonly revisions: number
  /** Of values, in characters. */
  readonly size: number
}

interface Mark {
  readonly revision: Revision
  readonly timeMs: number
  /** All that was written before it. */
  readonly size: number
}

/** How finely a limit is kept: marks are this share of it apart. */
const GRAIN = 1 / 32

/** Decides from when on history is kept, from marks that it makes as time and writes go by. */
export class Retention {
  private readonly limits: HistoryLimits
  private marks: Array<Mark> = []
  private size = 0

  /** History starts at `oldest`, a part of it before this process. */
  constructor(limits: HistoryLimits, oldest: Revision, newest: Revision, nowMs: number) {
    this.limits = limits
    if (oldest < newest) this.marks.push({ revision: oldest, timeMs: nowMs, size: 0 })
    this.marks.push({ revision: newest, timeMs: nowMs, size: 0 })
  }

  /** Notes that the store is at this revision, having written so much since the last note. */
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

  /** The revision before which history is to be forgotten now; undefined when all that is kept may stay. */
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
