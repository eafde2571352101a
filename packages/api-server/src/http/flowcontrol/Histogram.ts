/** Counts of values by upper bound. */
export class Histogram {
  readonly bounds: ReadonlyArray<number>
  private readonly counts: Float64Array
  private count = 0
  private sum = 0

  constructor(bounds: ReadonlyArray<number>) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length)
  }

  add(value: number): void {
    this.count++
    this.sum += value
    for (let index = 0; index < this.bounds.length; index++) {
      if (value > (this.bounds[index] as number)) continue
      this.counts[index] = (this.counts[index] as number) + 1
      return
    }
  }

  /** What Prometheus reads: suffix of the name, labels, value. */
  *samples(labels: string): Generator<readonly [labels: string, value: number, suffix: string]> {
    let below = 0
    for (let index = 0; index < this.bounds.length; index++) {
      below += this.counts[index] as number
      yield [`${labels},le="${this.bounds[index]}"`, below, "_bucket"]
    }
    yield [`${labels},le="+Inf"`, this.count, "_bucket"]
    yield [labels, this.sum, "_sum"]
    yield [labels, this.count, "_count"]
  }
}
