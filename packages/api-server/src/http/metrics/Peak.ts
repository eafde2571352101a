const WINDOW_MS = 1000

/** A number of things at once, and its highest value in the last second that is over. */
export class Peak {
  value = 0
  private highest = 0
  private before = 0
  private windowMs = Number.NEGATIVE_INFINITY

  add(change: number, nowMs: number): void {
    this.turn(nowMs)
    this.value += change
    if (this.value > this.highest) this.highest = this.value
  }

  /** Returns the highest value of the last second; of the present one, if there was none before. */
  read(nowMs: number): number {
    this.turn(nowMs)
    return Math.max(this.before, this.highest)
  }

  /** Begins a window if the present one is over. */
  private turn(nowMs: number): void {
    const ageMs = nowMs - this.windowMs
    if (ageMs < WINDOW_MS) return
    this.before = ageMs < 2 * WINDOW_MS ? this.highest : this.value
    this.highest = this.value
    this.windowMs = nowMs
  }
}
