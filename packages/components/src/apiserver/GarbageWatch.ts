/** Less garbage than this is not worth a collection: V8 collects the heap of a small server more often anyway. */
const WORTH_BYTES = 40 * 1024 * 1024
/** More garbage than this is worth a collection, regardless of the heap size. */
const MUCH_BYTES = 64 * 1024 * 1024
/** A process that uses a larger share of a processor allocates so much that V8 collects anyway, and needs its heap. */
const BUSY_SHARE = 0.5
/** Garbage that is found in this many consecutive checks counts as permanent. */
const LOOKS = 2
/** The time in which V8 returns memory after a request: a second collection, eight seconds after the first, shrinks the heap. */
const RETURN_MS = 15_000

/** Whether the growth since the last collection is worth another one. */
export const isWorthwhile = (held: number, leastBytes: number): boolean =>
  held - leastBytes > Math.max(WORTH_BYTES, Math.min(leastBytes / 4, MUCH_BYTES))

/** The size of the new space, both halves: enough for an idle process; V8 would let it grow to four times as much. */
const NEW_BYTES = 32 * 1024 * 1024

/** Whether the new space may grow, so that it is collected less often. */
export const mayGrow = (newBytes: number, busyShare: number): boolean => busyShare > BUSY_SHARE || newBytes < NEW_BYTES

/** Returns the bytes that a process holds, without the new space that it needs. */
export const heldBytes = (heapBytes: number, newBytes: number, externalBytes: number): number =>
  heapBytes - Math.min(newBytes, NEW_BYTES) + externalBytes

/** The action to take: collect and shrink the heap; return to normal; none. */
export type Measure = "collect" | "rest" | undefined

/** The wait after a collection that freed little, since objects may have become garbage meanwhile. It doubles. */
const AGAIN_MS = 5_000
/** If the wait would be longer than this, the held memory is taken to be in use. */
const LONGEST_WAIT_MS = 320_000

/**
 * Decides when a process returns memory. V8 collects when the heap has grown by a proportion, or external memory by an amount: what
 * a burst leaves behind, and the heap that it needed, otherwise stays until the next burst.
 */
export class GarbageWatch {
  /** The least bytes held since the last collection. */
  private leastBytes = 0
  /** The bytes held after the last effective collection. */
  private usualBytes: number | undefined
  private waitMs = 0
  private againMs = 0
  private looks = 0
  /** While memory is being returned: the end of that. */
  private untilMs: number | undefined

  /** Returns the action to take. `held`: from `heldBytes`. `busyShare`: the share of a processor used since the last check. */
  look(nowMs: number, held: number, busyShare: number): Measure {
    this.leastBytes = Math.min(this.leastBytes, held)
    const isBusy = busyShare > BUSY_SHARE
    const isMore = isWorthwhile(held, this.leastBytes) || (nowMs >= this.againMs && this.isUnusual(held))
    this.looks = !isBusy && isMore ? this.looks + 1 : 0
    if (this.untilMs !== undefined) {
      if (!isBusy && nowMs < this.untilMs) return undefined
      this.untilMs = undefined
      this.judge(nowMs)
      return "rest"
    }
    if (this.looks < LOOKS) return undefined
    this.looks = 0
    this.untilMs = nowMs + RETURN_MS
    this.leastBytes = Number.POSITIVE_INFINITY
    return "collect"
  }

  private isUnusual(held: number): boolean {
    return this.usualBytes !== undefined && isWorthwhile(held, this.usualBytes)
  }

  /** In the middle of a burst a collection frees little: then another one follows. */
  private judge(nowMs: number): void {
    if (this.isUnusual(this.leastBytes) && this.waitMs <= LONGEST_WAIT_MS) {
      this.againMs = nowMs + this.waitMs
      this.waitMs = this.waitMs * 2 + (this.waitMs === 0 ? AGAIN_MS : 0)
      return
    }
    this.usualBytes = this.leastBytes
    this.waitMs = 0
  }
}
