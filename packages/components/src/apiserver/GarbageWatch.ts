/** Less than this is not worth a collection: V8 itself looks for garbage in the heap of a small server more often. */
const WORTH_BYTES = 40 * 1024 * 1024
/** More than this is worth one, however large the heap. */
const MUCH_BYTES = 64 * 1024 * 1024
/** A process that uses more of a processor than this allocates so much that garbage is collected anyway, and needs the room it has. */
const BUSY_SHARE = 0.5
/** Garbage that is there in so many looks, one after the other, stays. */
const LOOKS = 2
/** How long V8 gives back memory that it was asked for: a second collection, eight seconds after the first, makes the heap small. */
const RETURN_MS = 15_000

/** Whether so much more is held than after the last collection that another one is worth its time. */
export const isWorthwhile = (held: number, leastBytes: number): boolean =>
  held - leastBytes > Math.max(WORTH_BYTES, Math.min(leastBytes / 4, MUCH_BYTES))

/** Room for new objects, both halves: enough for one that is not busy, where V8 would give it four times as much in the end. */
const NEW_BYTES = 32 * 1024 * 1024

/** Whether the room for new objects may grow, so that they are collected less often. */
export const mayGrow = (newBytes: number, busyShare: number): boolean => busyShare > BUSY_SHARE || newBytes < NEW_BYTES

/** What a process holds, beside the room for new objects that it needs. */
export const heldBytes = (heapBytes: number, newBytes: number, externalBytes: number): number =>
  heapBytes - Math.min(newBytes, NEW_BYTES) + externalBytes

/** What is to be done: look for garbage, and make the heap small; go on as usual; nothing. */
export type Measure = "collect" | "rest" | undefined

/** How long after a collection that helped little the next one is: what was in use then may be garbage now. It doubles. */
const AGAIN_MS = 5_000
/** When the wait would be longer, what is held is in use for good. */
const LONGEST_WAIT_MS = 320_000

/**
 * Decides when a process gives memory back. V8 looks for garbage when the heap has grown in proportion, or by so much outside of it: what
 * a burst has left, and the room that it took, stays until the next one.
 */
export class GarbageWatch {
  /** The least that was held since the last collection. */
  private leastBytes = 0
  /** What was held when a collection last helped. */
  private usualBytes: number | undefined
  private waitMs = 0
  private againMs = 0
  private looks = 0
  /** While memory is being given back: until when. */
  private untilMs: number | undefined

  /** `held`: as `heldBytes`. `busyShare`: of a processor, since the last look. */
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

  /** In the middle of a burst a collection finds little: then it is not the last one. */
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
