interface Wait {
  readonly fromMs: number
  readonly endsMs: number
}

const lengthOf = ({ endsMs, fromMs }: Wait): number => endsMs - fromMs

/**
 * The longest wait of requests that a rate limiter sends in their order. A request is told its wait when it is made, and a run may end
 * before: such a wait counts as far as it lasted.
 */
export class LongestWait {
  /** Each is longer than those before it. Of those that ended, only the longest is kept. */
  private readonly waits: Array<Wait> = []

  add(nowMs: number, waitMs: number): void {
    const last = this.waits.at(-1)
    if (last !== undefined && waitMs <= lengthOf(last)) return
    this.forgetShorter(nowMs)
    this.waits.push({ fromMs: nowMs, endsMs: nowMs + waitMs })
  }

  /** Returns the longest wait until now, and when it ended, or now if it goes on; undefined if no request was made. */
  until(nowMs: number): { readonly waitMs: number; readonly endsMs: number } | undefined {
    this.forgetShorter(nowMs)
    const [longest, ...others] = this.waits.slice(0, 2).map(({ endsMs, fromMs }) => {
      const endedMs = Math.min(endsMs, nowMs)
      return { waitMs: endedMs - fromMs, endsMs: endedMs }
    })
    return others.reduce((left, right) => (left !== undefined && left.waitMs >= right.waitMs ? left : right), longest)
  }

  private forgetShorter(nowMs: number): void {
    let ended = 0
    while ((this.waits[ended + 1]?.endsMs ?? Number.POSITIVE_INFINITY) <= nowMs) ended++
    if (ended > 0) this.waits.splice(0, ended)
  }
}
