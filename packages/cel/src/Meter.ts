/** Thrown when an expression exceeds the cost limit of one call. */
export class CostExceeded extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded")
  }
}

/**
 * The maximum cost of one call of a rule, and of all rules of an object. Upstream: apiserver/pkg/apis/cel/config.go.
 */
export const PER_CALL_LIMIT = 1_000_000
export const RUNTIME_BUDGET = 10_000_000

/** The maximum number of steps of one call, in addition to its cost: some 100 ns each. */
const MAX_CALL_STEPS = 1_000_000

/**
 * Counts the cost of one call of a rule. `cost` is Kubernetes' cost, exact to the unit. `steps` counts the work that it
 * does not include: comparing two lists of lists costs little by it, and replacing text costs nothing for the length of
 * the result.
 */
export class Meter {
  cost = 0
  /** The steps taken. */
  steps = 0
  private readonly limit: number

  constructor(limit: number = PER_CALL_LIMIT) {
    this.limit = limit
  }

  /** Adds cost before the work is done; throws `CostExceeded` beyond the limit. */
  charge(cost: number): void {
    this.cost += cost
    // Upstream's cost has no sign: one below zero is beyond any limit.
    if (this.cost < 0) this.cost = this.limit + 1
    if (this.cost > this.limit) throw new CostExceeded()
  }

  /** Adds steps before the work is done; throws `CostExceeded` beyond the limit. */
  spend(steps: number): void {
    this.steps += steps
    if (this.steps > MAX_CALL_STEPS) {
      // A refused operation is not executed.
      this.steps = MAX_CALL_STEPS
      this.cost = this.limit + 1
      throw new CostExceeded()
    }
  }

  /** Adds the steps of reading this many characters. */
  read(characters: number): void {
    this.spend(1 + characters / 128)
  }

  /** Adds the steps of producing this many characters, or bytes. */
  make(characters: number): void {
    this.spend(1 + characters / 16)
  }
}
