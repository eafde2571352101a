// Upstream: apiserver/pkg/util/flowcontrol/conc_alloc.go, computeConcurrencyAllocation.

/** The seats that a priority level may get and would like to have. */
export interface Claim {
  readonly lowerBound: number
  readonly upperBound: number
  /** At least `lowerBound`. */
  readonly target: number
}

export interface Allocation {
  /** In the order of the claims; the sum is the total, unless the bounds make that impossible. */
  readonly seats: ReadonlyArray<number>
  /** The fraction of its target that a claim within its bounds gets. */
  readonly fairFraction: number
}

/** Smaller targets, which are divisors below, are raised to this. */
const MIN_TARGET = 0.001
/** The maximum number of bisection steps: enough for a double. */
const STEPS = 100
/** By how much sums may miss the total through rounding. */
const TOLERANCE = 1e-7

const clamp = (value: number, { lowerBound, upperBound }: Claim): number =>
  Math.max(lowerBound, Math.min(upperBound, value))

/**
 * Divides seats among priority levels: each gets the same fraction of its target, within its bounds. Returns undefined
 * if the bounds allow no solution.
 */
export const allocate = (total: number, claims: ReadonlyArray<Claim>): Allocation | undefined => {
  const targets = claims.map(({ target }) => Math.max(target, MIN_TARGET))
  const at = (fraction: number): Array<number> =>
    claims.map((claim, index) => clamp(fraction * (targets[index] as number), claim))
  const sumAt = (fraction: number): number => at(fraction).reduce((sum, seats) => sum + seats, 0)
  let low = 0
  let high = claims.reduce((most, { upperBound }, index) => Math.max(most, upperBound / (targets[index] as number)), 0)
  if (sumAt(low) > total + TOLERANCE || sumAt(high) < total - TOLERANCE) return undefined
  // The sum increases with the fraction: the solution is where it reaches the total.
  for (let step = 0; step < STEPS && low < high; step++) {
    const middle = (low + high) / 2
    if (middle === low || middle === high) break
    if (sumAt(middle) < total) low = middle
    else high = middle
  }
  return { seats: at(high), fairFraction: high }
}
