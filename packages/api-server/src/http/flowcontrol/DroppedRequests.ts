/** Upstream: apiserver/pkg/util/flowcontrol/dropped_requests_tracker.go. */
const MAX_RETRY_AFTER = 32

interface Second {
  readonly at: number
  readonly requests: number
}

/** When refused requests of a priority level are told to come again: later, the more of them there are. */
export class DroppedRequests {
  private history: Array<Second> = []
  private second = 0
  private count = 0
  private seconds = 1
  private raisedAt = 0

  /** Seconds. */
  get retryAfter(): number {
    return this.seconds
  }

  record(nowMs: number): void {
    const at = Math.floor(nowMs / 1000)
    if (at === this.second) {
      this.count++
      return
    }
    this.remember()
    this.second = at
    this.count = 1
    this.update(at)
  }

  private remember(): void {
    this.history.push({ at: this.second, requests: this.count })
    const most = Math.min(2 * this.seconds, MAX_RETRY_AFTER)
    this.history = this.history.filter(({ at }) => this.second - at <= most)
  }

  /** Doubles at three refusals a second, and falls by one at less than one. */
  private update(at: number): void {
    let dropped = 0
    for (const { at: then, requests } of this.history) if (at - then <= this.seconds && then < at) dropped += requests
    if (at - this.raisedAt >= this.seconds && dropped >= 3 * this.seconds) {
      this.seconds = Math.min(this.seconds * 2, MAX_RETRY_AFTER)
      this.raisedAt = at
    } else if (dropped < this.seconds && this.seconds > 1) this.seconds--
  }
}
