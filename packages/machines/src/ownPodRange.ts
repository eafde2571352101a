import { rngFor } from "@rollcall/time"

/** Blocks of 1,022 addresses in 240.0.0.0/4, which is reserved: no cluster gives its nodes ranges there. */
const BLOCKS = 2 ** 18
const BLOCK_BITS = 10
const FIRST = 240 * 2 ** 24

const textOf = (block: number): string => {
  const base = FIRST + block * 2 ** BLOCK_BITS
  return `${[24, 16, 8, 0].map((shift) => Math.floor(base / 2 ** shift) % 256).join(".")}/${32 - BLOCK_BITS}`
}

/**
 * The range of a machine's pod addresses while its Node has no podCIDR, as from a network plugin with its own address
 * management. It is derived from the name, so that it survives a restart. `taken` contains the blocks of the other
 * machines, and is extended: ranges are disjoint, for up to 262,144 machines.
 */
export const ownPodRange = (name: string, taken: Set<number>): string => {
  let block = Math.floor(rngFor(0, `pod range ${name}`)() * BLOCKS)
  for (let tried = 0; tried < BLOCKS && taken.has(block); tried++) block = (block + 1) % BLOCKS
  taken.add(block)
  return textOf(block)
}
