/** Less garbage than this is not worth a collection: V8 collects the heap of a small server more often anyway. */
const MIN_GARBAGE_BYTES = 40 * 1024 * 1024
/** More garbage than this is worth a collection, regardless of the heap size. */
const LARGE_GARBAGE_BYTES = 64 * 1024 * 1024
/** A process that uses a larger share of a processor allocates so much that V8 collects anyway, and needs its heap. */
const BUSY_SHARE = 0.5
/** Garbage that is found in this many consecutive checks counts as permanent. */
const CONSECUTIVE_CHECKS = 2
/**
 * The time in which V8 returns memory after a request: a second collection, eight seconds after the first, shrinks the
 * heap.
 */
const RETURN_MS = 15_000

/** Whether the growth since the last collection is worth another one. */
export const isWorthwhile = (held: number, leastBytes: number): boolean =>
  held - leastBytes > Math.max(MIN_GARBAGE_BYTES, Math.min(leastBytes / 4, LARGE_GARBAGE_BYTES))

/**
 * The size of V8's new space, both halves, that is enough for an idle process; V8 would let it grow to four times as
 * much.
 */
const NEW_SPACE_BYTES = 32 * 1024 * 1024

/** Whether the new space may grow, so that it is collected less often. */
export const mayGrow = (newBytes: number, busyShare: number): boolean =>
  busyShare > BUSY_SHARE || newBytes < NEW_SPACE_BYTES

/** A process that uses a smaller share of a processor is idle: it needs less new space, and a collection shrinks that. */
const IDLE_SHARE = 0.02
const IDLE_NEW_SPACE_BYTES = 8 * 1024 * 1024
/** The least time between two collections for that. */
const SHRINK_PERIOD_MS = 60_000

/** Returns the bytes that a process holds, without the new space that it needs. */
export const heldBytes = (heapBytes: number, newBytes: number, externalBytes: number): number =>
  heapBytes - Math.min(newBytes, NEW_SPACE_BYTES) + externalBytes

/**
 * The action to take: `collect` makes V8 collect garbage and shrink the heap, `restore` makes V8 work as usual again,
 * `shrink` makes it collect garbage once, which shrinks the new space, undefined is none.
 */
export type MemoryAction = "collect" | "restore" | "shrink" | undefined

/** The wait after a collection that freed little, since objects may have become garbage meanwhile. It doubles. */
const FIRST_WAIT_MS = 5_000
/** If the wait would be longer than this, the held memory is taken to be in use. */
const MAX_WAIT_MS = 320_000

/**
 * Decides when a process returns memory. V8 collects when the heap has grown by a proportion, or external memory by an
 * amount: what a burst leaves behind, and the heap that it needed, otherwise stays until the next burst.
 */
export class GarbageWatch {
  /** The least bytes held since the last collection. */
  private leastBytes = 0
  /** The bytes held after the last effective collection. */
  private usualBytes: number | undefined
  private waitMs = 0
  private nextCollectionMs = 0
  private checksWithGarbage = 0
  /** When V8 has returned the memory of the last collection; undefined if none is in progress. */
  private returnsUntilMs: number | undefined
  /** When the new space of an idle process may be shrunk. */
  private nextShrinkMs = 0
  /** Whether what the start leaves behind waits to be collected, or to be collected again: what was in use the first time may be garbage. */
  private start: "waits" | "repeats" | "done"

  /** With `collectsStart`, what the start of the process leaves behind is collected as soon as the process is not busy. */
  constructor({ collectsStart = false } = {}) {
    this.start = collectsStart ? "waits" : "done"
  }

  /**
   * Returns the action to take. `held` comes from `heldBytes`; `busyShare` is the share of a processor used since the
   * last check, 0 to 1 and more; `newBytes` is the size of the new space.
   */
  check(nowMs: number, held: number, busyShare: number, newBytes = 0): MemoryAction {
    this.leastBytes = Math.min(this.leastBytes, held)
    const isBusy = busyShare > BUSY_SHARE
    const hasGarbage =
      isWorthwhile(held, this.leastBytes) || (nowMs >= this.nextCollectionMs && this.isMoreThanUsual(held))
    this.checksWithGarbage = !isBusy && hasGarbage ? this.checksWithGarbage + 1 : 0
    if (this.returnsUntilMs !== undefined) {
      const { start } = this
      this.start = "done"
      if (!isBusy && nowMs < this.returnsUntilMs) return start === "repeats" ? "shrink" : undefined
      this.returnsUntilMs = undefined
      this.recordOutcome(nowMs)
      return "restore"
    }
    if (this.start === "waits" && !isBusy) {
      this.start = "repeats"
      return this.collect(nowMs)
    }
    if (!hasGarbage && busyShare < IDLE_SHARE && newBytes >= IDLE_NEW_SPACE_BYTES && nowMs >= this.nextShrinkMs) {
      this.nextShrinkMs = nowMs + SHRINK_PERIOD_MS
      return "shrink"
    }
    return this.checksWithGarbage < CONSECUTIVE_CHECKS ? undefined : this.collect(nowMs)
  }

  private collect(nowMs: number): MemoryAction {
    this.checksWithGarbage = 0
    this.returnsUntilMs = nowMs + RETURN_MS
    this.leastBytes = Number.POSITIVE_INFINITY
    return "collect"
  }

  private isMoreThanUsual(held: number): boolean {
    return this.usualBytes !== undefined && isWorthwhile(held, this.usualBytes)
  }

  /**
   * Plans another collection if the last one freed little, as in the middle of a burst; otherwise records the usual
   * size.
   */
  private recordOutcome(nowMs: number): void {
    if (this.isMoreThanUsual(this.leastBytes) && this.waitMs <= MAX_WAIT_MS) {
      this.nextCollectionMs = nowMs + this.waitMs
      this.waitMs = this.waitMs * 2 + (this.waitMs === 0 ? FIRST_WAIT_MS : 0)
      return
    }
    this.usualBytes = this.leastBytes
    this.waitMs = 0
  }
}
