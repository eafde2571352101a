/**
 * A set of NUMA node ids from 0 to 63: bit i stands for node i. It is a bigint because ids may exceed 31. Of masks with
 * equally many nodes, the one with lower ids is the smaller number. Upstream: pkg/kubelet/cm/topologymanager/bitmask.
 */
export type NumaMask = bigint

export const emptyMask: NumaMask = 0n

/** Returns the mask of these nodes. Ids outside 0 to 63 are ignored. */
export const maskOf = (ids: Iterable<number>): NumaMask => {
  let mask = emptyMask
  // A shift by a negative id gives 0.
  for (const id of ids) if (id < 64) mask |= 1n << BigInt(id)
  return mask
}

/** Returns the ids of a mask's nodes, ascending. */
export const maskIds = (mask: NumaMask): ReadonlyArray<number> => {
  const ids: Array<number> = []
  let rest = mask
  for (let id = 0; rest !== 0n; id++, rest >>= 1n) if ((rest & 1n) === 1n) ids.push(id)
  return ids
}

export const maskHas = (mask: NumaMask, id: number): boolean => ((mask >> BigInt(id)) & 1n) === 1n

/** Whether every node of `inner` is in `outer`. */
export const maskWithin = (inner: NumaMask, outer: NumaMask): boolean => (inner & outer) === inner

/** Returns the number of a mask's nodes. */
export const maskCount = (mask: NumaMask): number =>
  bitsOf(Number(mask & 0xffff_ffffn)) + bitsOf(Number((mask >> 32n) & 0xffff_ffffn))

const bitsOf = (word: number): number => {
  let bits = 0
  for (let rest = word | 0; rest !== 0; rest &= rest - 1) bits++
  return bits
}

/** Whether `a` has fewer nodes than `b`, or equally many with lower ids. A mask is not narrower than itself. */
export const isNarrower = (a: NumaMask, b: NumaMask): boolean => {
  const difference = maskCount(a) - maskCount(b)
  return difference < 0 || (difference === 0 && a < b)
}

/**
 * Returns all non-empty subsets of these nodes by size, and within a size in the order of the list: {0}, {1}, {2},
 * {0,1}, {0,2}, {1,2}, {0,1,2}. There are 2^n - 1 of them.
 */
export const masksOver = (ids: ReadonlyArray<number>): ReadonlyArray<NumaMask> => {
  const bits = ids.map((id) => 1n << BigInt(id))
  const masks: Array<NumaMask> = []
  const choose = (from: number, missing: number, chosen: NumaMask): void => {
    if (missing === 0) {
      masks.push(chosen)
      return
    }
    for (let index = from; index <= bits.length - missing; index++) {
      choose(index + 1, missing - 1, chosen | (bits[index] ?? 0n))
    }
  }
  for (let size = 1; size <= bits.length; size++) choose(0, size, emptyMask)
  return masks
}
