/** Thrown when validating an object against its schema exceeds the work limit of a request. */
export class WorkExceeded extends Error {
  constructor() {
    super("the schema asks for more work than one request may cause")
  }
}

/**
 * The maximum number of steps for one request (a step is a unit of work of some 20 ns, not a `Steps` generator): about
 * a second of the server's time at worst, and far more than any ordinary schema takes.
 */
const MAX_STEPS = 50_000_000

/** The number of steps between two yields: some 5 ms. */
const PAUSE_STEPS = 250_000

/**
 * The maximum number of steps for the alternatives of one value, which cannot yield: some 200 ms. Half a million plain
 * values take less.
 */
const UNBROKEN_STEPS = 10_000_000

/** The steps of checking one value by one schema. */
export const VISIT_STEPS = 10

/** The steps of a check of only one aspect. */
export const GLANCE_STEPS = 3

/** The steps of a further schema for the same value, in addition to the check. */
export const ALTERNATIVE_STEPS = 30

/** The steps of one error: errors are kept, printed and sent. */
export const FAULT_STEPS = 10_000

/**
 * The remaining work of validating one object against its schema. A schema as large as a request multiplies with an
 * object as large as a request; so do nested alternatives. Kubernetes limits neither.
 */
export class Work {
  private left: number
  /** How much work is left when it yields next, and when it is over the limit. */
  private pauseAt: number
  private endAt = 0

  constructor(steps: number = MAX_STEPS) {
    this.left = steps
    this.pauseAt = steps - PAUSE_STEPS
  }

  /** Counts steps, before the work is done; throws `WorkExceeded` beyond the limit. */
  spend(steps: number): void {
    this.left -= steps
    if (this.left < this.endAt) throw new WorkExceeded()
  }

  /** Whether enough work has been done since the last yield that other requests should run. */
  get isPauseDue(): boolean {
    return this.left < this.pauseAt
  }

  /** Plans the next yield; returns undefined, so that callers can write `yield work.resume()`. */
  resume(): undefined {
    this.pauseAt = this.left - PAUSE_STEPS
  }

  /** Runs work that cannot yield, with a limit of `UNBROKEN_STEPS`. */
  unbroken<A>(work: () => A): A {
    const before = this.endAt
    this.endAt = Math.max(before, this.left - UNBROKEN_STEPS)
    try {
      return work()
    } finally {
      this.endAt = before
    }
  }
}
