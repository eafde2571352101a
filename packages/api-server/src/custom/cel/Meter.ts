/** Thrown where an expression costs more than one call may. */
export class CostExceeded extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded")
  }
}

/** Upstream: apiserver/pkg/apis/cel/config.go. */
export const PER_CALL_LIMIT = 1_000_000
export const RUNTIME_BUDGET = 10_000_000

/** Steps of our own that one call may take: some 100 ns each. */
const CALL_WORK = 1_000_000

/**
 * Counts what one call of a rule costs. `cost` is Kubernetes' figure, to the unit. `work` counts what that figure leaves out: it has
 * little for the comparison of two lists of lists, and for the replacement of a text nothing for the length of the result.
 */
export class Meter {
  cost = 0
  /** Steps taken. */
  steps = 0
  private readonly limit: number

  constructor(limit: number = PER_CALL_LIMIT) {
    this.limit = limit
  }

  /** Throws `CostExceeded` before the work is done. */
  charge(cost: number): void {
    this.cost += cost
    if (this.cost > this.limit) throw new CostExceeded()
  }

  /** Throws `CostExceeded` too. */
  spend(steps: number): void {
    this.steps += steps
    if (this.steps > CALL_WORK) {
      // What is refused is not done.
      this.steps = CALL_WORK
      this.cost = this.limit + 1
      throw new CostExceeded()
    }
  }

  /** Characters that are read. */
  read(characters: number): void {
    this.spend(1 + characters / 128)
  }

  /** Characters that are made. */
  make(characters: number): void {
    this.spend(1 + characters / 16)
  }
}
