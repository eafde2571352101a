import { isNarrower, maskCount, maskIds, type NumaMask } from "../masks.ts"

/** To each node of the machine, by the id of the node that it is seen from. Ids serve as places in the lists. */
export type NumaDistances = ReadonlyMap<number, ReadonlyArray<number>>

/** Which of two masks suits better. */
export type Fitter = (current: NumaMask, candidate: NumaMask) => NumaMask

export const narrowest: Fitter = (current, candidate) => (isNarrower(current, candidate) ? current : candidate)

/** The mean over all ordered pairs of nodes, each with itself included. */
export const averageDistance = (distances: NumaDistances, mask: NumaMask): number => {
  const ids = maskIds(mask)
  let sum = 0
  for (const from of ids) for (const to of ids) sum += distances.get(from)?.[to] ?? 0
  return ids.length === 0 ? 0 : sum / (ids.length * ids.length)
}

/** The narrower; of equally many nodes those that are closer together. Upstream: topologymanager/numa_info.go Closest. */
export const closest =
  (distances: NumaDistances): Fitter =>
  (current, candidate) => {
    if (maskCount(current) !== maskCount(candidate)) return narrowest(current, candidate)
    const difference = averageDistance(distances, current) - averageDistance(distances, candidate)
    if (difference === 0) return narrowest(current, candidate)
    return difference < 0 ? current : candidate
  }
