import { rngFor } from "@rollcall/time"

/** The number of /22 ranges in 240.0.0.0/4, which is reserved: no cluster gives its nodes ranges there. */
export const POD_BLOCKS = 2 ** 18
const BLOCK_BITS = 10
/** The address 240.0.0.0. */
const FIRST_ADDRESS = 240 * 2 ** 24

/** Returns one of these ranges by its number. */
export const podRangeOf = (block: number): string => {
  const base = FIRST_ADDRESS + block * 2 ** BLOCK_BITS
  return `${[24, 16, 8, 0].map((shift) => Math.floor(base / 2 ** shift) % 256).join(".")}/${32 - BLOCK_BITS}`
}

/**
 * Returns the range of a machine's pod addresses while its Node has no podCIDR, as from a network plugin with its own
 * address management. It is derived from the name, so that it survives a restart. `takenBlocks` contains the blocks of
 * the other machines, and gets this one: ranges are disjoint, for up to 262,144 machines.
 */
export const ownPodRange = (name: string, takenBlocks: Set<number>): string => {
  let block = Math.floor(rngFor(0, `pod range ${name}`)() * POD_BLOCKS)
  for (let tried = 0; tried < POD_BLOCKS && takenBlocks.has(block); tried++) block = (block + 1) % POD_BLOCKS
  takenBlocks.add(block)
  return podRangeOf(block)
}
