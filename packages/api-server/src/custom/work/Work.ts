/** Thrown where judging an object against its schema would take more than one request may cause. */
export class WorkExceeded extends Error {
  constructor() {
    super("the schema asks for more work than one request may cause")
  }
}

/** Steps of work of one request: about a second of the server's time at worst, and far more than any plain schema takes. */
const MAX_STEPS = 50_000_000

/** Between two pauses: some 5 ms. */
const PAUSE_STEPS = 250_000

/** What alternatives of one value may take, within which there is no pause: some 200 ms. Half a million plain values are less. */
const UNBROKEN_STEPS = 10_000_000

/** A visit of one value by one schema, in steps. */
export const VISIT_STEPS = 10

/** A visit that looks at one thing only, in steps. */
export const GLANCE_STEPS = 3

/** A further schema asked of the same value, in steps, beside the visit. */
export const ALTERNATIVE_STEPS = 30

/** One fault found, in steps: faults are kept, printed and sent. */
export const FAULT_STEPS = 10_000

/**
 * What judging one object against its schema may still cost. A schema that is as large as a request, asked of an object that is as
 * large as a request, multiplies; so do alternatives within alternatives. Kubernetes bounds neither.
 */
export class Work {
  private left: number
  /** What has to be left when it pauses next, and when it ends. */
  private pauseAt: number
  private endAt = 0

  constructor(steps: number = MAX_STEPS) {
    this.left = steps
    this.pauseAt = steps - PAUSE_STEPS
  }

  /** Throws `WorkExceeded` where less is left. */
  spend(steps: number): void {
    this.left -= steps
    if (this.left < this.endAt) throw new WorkExceeded()
  }

  /** So much has been done since it began, or went on, that others should have the thread. */
  get isPauseDue(): boolean {
    return this.left < this.pauseAt
  }

  /** It goes on from here. */
  resume(): undefined {
    this.pauseAt = this.left - PAUSE_STEPS
  }

  /** Does what cannot pause: it may take `UNBROKEN_STEPS`. */
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
