import { maskCount, type NumaMask } from "../masks.ts"
import type { Fitter } from "./closest.ts"

/** The hint of a combination: always with a mask, which may be empty. */
export interface MergedHint {
  readonly mask: NumaMask
  readonly preferred: boolean
}

/**
 * The better of the best hint so far and a candidate. `bound`: the least number of nodes that the most demanding
 * resource needs. Among hints that are not preferred, those of that size come first, then smaller ones from the
 * largest down, then larger ones from the smallest up. This is a total order, so the order of candidates does not
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
  const keeps = fitter(current.mask, candidate.mask) === current.mask
  const fitting = keeps ? current : candidate
  if (current.preferred) return fitting
  const held = maskCount(current.mask)
  const offered = maskCount(candidate.mask)
  if (held > bound) return fitting
  if (offered > bound) return current
  return offered === held ? fitting : offered > held ? candidate : current
}
