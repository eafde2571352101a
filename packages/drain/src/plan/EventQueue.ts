/** A function to run at a time, in seconds since the drain began. */
interface Entry {
  readonly at: number
  readonly sequence: number
  readonly isRetry: boolean
  readonly run: () => void
}

/**
 * The future events of a plan, ordered by time, then by insertion. Times are seconds of virtual time since the drain
 * began.
 */
export class EventQueue {
  now = 0
  private readonly entries: Array<Entry> = []
  private sequence = 0
  private retries = 0

  /** Whether an event is queued that is no retry: without one, a retry has the same outcome as the attempt before. */
  get hasChanges(): boolean {
    return this.entries.length > this.retries
  }

  get nextAt(): number {
    return this.entries[0]?.at ?? Number.POSITIVE_INFINITY
  }

  /** Queues an event; drops it if `time` is infinite, since it never happens. */
  at(time: number, run: () => void, isRetry = false): void {
    if (!Number.isFinite(time)) return
    const entry = { at: Math.max(time, this.now), sequence: this.sequence++, isRetry, run }
    let [low, high] = [0, this.entries.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const other = this.entries[middle]
      if (other !== undefined && other.at <= entry.at) low = middle + 1
      else high = middle
    }
    this.entries.splice(low, 0, entry)
    if (isRetry) this.retries++
  }

  /** Runs the next event. */
  step(): void {
    const entry = this.entries.shift()
    if (entry === undefined) return
    if (entry.isRetry) this.retries--
    this.now = entry.at
    entry.run()
  }

  /** Runs all events up to this time, and advances the clock to it. */
  advanceTo(time: number): void {
    while (this.entries.length > 0 && this.nextAt <= time) this.step()
    if (Number.isFinite(time) && time > this.now) this.now = time
  }
}
