import { maskCount, type NumaMask } from "../masks.ts"
import type { Fitter } from "./closest.ts"

/** The hint of a combination: always with a mask, which may be empty. */
export interface MergedHint {
  readonly mask: NumaMask
  readonly preferred: boolean
}

/**
 * Returns the better of the best hint so far and a candidate. `bound` is the least number of nodes that the most
 * demanding resource needs. Among hints that are not preferred, those of that size come first, then smaller ones from
 * the largest down, then larger ones from the smallest up. This is a total order, so the order of candidates does not
 * matter. Upstream: topologymanager/policy.go compare.
 */
export const betterHint = (
  fitter: Fitter,
  bound: number,
  current: MergedHint | undefined,
  candidate: MergedHint
): MergedHint | undefined => {
  if (candidate.mask === 0n) return current
  if (current === undefined) return candidate
  if (current.preferred !== candidate.preferred) return current.preferred ? current : candidate
  const currentFits = fitter(current.mask, candidate.mask) === current.mask
  const fitting = currentFits ? current : candidate
  if (current.preferred) return fitting
  const currentCount = maskCount(current.mask)
  const candidateCount = maskCount(candidate.mask)
  if (currentCount > bound) return fitting
  if (candidateCount > bound) return current
  return candidateCount === currentCount ? fitting : candidateCount > currentCount ? candidate : current
}
