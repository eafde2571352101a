import type { Revision } from "@rollcall/store"

/** The limits of history. What exceeds one of them is compacted. */
export interface HistoryLimits {
  readonly ageMs: number
  readonly revisions: number
  /** The size of values, in characters. */
  readonly size: number
}

interface Checkpoint {
  readonly revision: Revision
  readonly timeMs: number
  /** The size of everything written before it. */
  readonly size: number
}

/** Checkpoints are this fraction of a limit apart, so the limits are kept to within this fraction. */
const PRECISION = 1 / 32

/**
 * Decides from which revision on history is kept. It records checkpoints as time passes and writes happen; history is cut
 * at the newest one that exceeds a limit.
 */
export class Retention {
  private readonly limits: HistoryLimits
  private checkpoints: Array<Checkpoint> = []
  private size = 0

  /** History starts at `oldest`; part of it was written before this process started. */
  constructor(limits: HistoryLimits, oldest: Revision, newest: Revision, nowMs: number) {
    this.limits = limits
    if (oldest < newest) this.checkpoints.push({ revision: oldest, timeMs: nowMs, size: 0 })
    this.checkpoints.push({ revision: newest, timeMs: nowMs, size: 0 })
  }

  /** Records the store's revision, and the size written since the last call. */
  record(revision: Revision, written: number, nowMs: number): void {
    this.size += written
    const { ageMs, revisions, size } = this.limits
    const last = this.checkpoints[this.checkpoints.length - 1] as Checkpoint
    if (
      revision - last.revision >= revisions * PRECISION ||
      this.size - last.size >= size * PRECISION ||
      (nowMs - last.timeMs >= ageMs * PRECISION && revision > last.revision)
    ) {
      this.checkpoints.push({ revision, timeMs: nowMs, size: this.size })
    }
  }

  /** Returns the revision before which history must be compacted now; undefined if it is within its limits. */
  compactBefore(revision: Revision, nowMs: number): Revision | undefined {
    // Called for each commit: the oldest checkpoints are the first to exceed a limit.
    let exceeded = 0
    while (this.exceeds(this.checkpoints[exceeded], revision, nowMs)) exceeded++
    const oldest = this.checkpoints[exceeded - 1]
    if (exceeded > 1) this.checkpoints = this.checkpoints.slice(exceeded - 1)
    return oldest?.revision
  }

  private exceeds(checkpoint: Checkpoint | undefined, newest: Revision, nowMs: number): boolean {
    if (checkpoint === undefined) return false
    const { ageMs, revisions, size } = this.limits
    const { revision, size: sizeBefore, timeMs } = checkpoint
    return nowMs - timeMs >= ageMs || newest - revision >= revisions || this.size - sizeBefore >= size
  }
}
