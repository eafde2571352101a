import { isNarrower, maskCount, maskIds, type NumaMask } from "../masks.ts"

/** The distances of each node, by its id, to each node of the machine, whose id is the index in the list. */
export type NumaDistances = ReadonlyMap<number, ReadonlyArray<number>>

/** Chooses the better of two masks. */
export type Fitter = (current: NumaMask, candidate: NumaMask) => NumaMask

/** Chooses the mask of fewer nodes; of two that are alike, the lower one. */
export const narrowest: Fitter = (current, candidate) => (isNarrower(current, candidate) ? current : candidate)

/** Returns the mean distance over all ordered pairs of nodes, including each node with itself. */
export const averageDistance = (distances: NumaDistances, mask: NumaMask): number => {
  const ids = maskIds(mask)
  let sum = 0
  for (const from of ids) for (const to of ids) sum += distances.get(from)?.[to] ?? 0
  return ids.length === 0 ? 0 : sum / (ids.length * ids.length)
}

/**
 * Returns a fitter that chooses the mask of fewer nodes, and of equally many the one with the smaller average distance.
 * Upstream: topologymanager/numa_info.go Closest.
 */
export const closest =
  (distances: NumaDistances): Fitter =>
  (current, candidate) => {
    if (maskCount(current) !== maskCount(candidate)) return narrowest(current, candidate)
    const difference = averageDistance(distances, current) - averageDistance(distances, candidate)
    if (difference === 0) return narrowest(current, candidate)
    return difference < 0 ? current : candidate
  }
