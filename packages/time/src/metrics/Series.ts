import type { Measured } from "./snapshot.ts"

/** A series of a counter or a gauge. */
export class Value {
  value = 0

  add(amount = 1): void {
    this.value += amount
  }

  set(value: number): void {
    this.value = value
  }
}

/** A series of a histogram: a measurement is one comparison for each smaller bucket, and two additions. */
export class Distribution {
  readonly bounds: ReadonlyArray<number>
  /** The measurements in each bucket, not cumulated; those above all bounds are in `count` only. */
  private readonly within: Array<number>
  count = 0
  sum = 0

  constructor(bounds: ReadonlyArray<number>) {
    this.bounds = bounds
    this.within = bounds.map(() => 0)
  }

  observe(measured: number): void {
    const { bounds, within } = this
    let at = 0
    while (at < bounds.length && measured > (bounds[at] as number)) at++
    if (at < bounds.length) within[at] = (within[at] as number) + 1
    this.count++
    this.sum += measured
  }

  /** Counts a measurement as often as `weight` says, which need not be whole. */
  observeWeighted(measured: number, weight: number): void {
    const { bounds, within } = this
    const at = bounds.findIndex((bound) => measured <= bound)
    if (at >= 0) within[at] = (within[at] as number) + weight
    this.count += weight
    this.sum += measured * weight
  }

  /** Returns the number of measurements up to each bound. */
  buckets(): ReadonlyArray<readonly [bound: number, below: number]> {
    let below = 0
    return this.bounds.map((bound, at) => {
      below += this.within[at] as number
      return [bound, below] as const
    })
  }
}

/** Returns the state of a distribution. */
export const measuredBy = (distribution: Distribution): Measured => ({
  count: distribution.count,
  sum: distribution.sum,
  buckets: distribution.buckets()
})
