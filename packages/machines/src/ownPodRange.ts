import { rngFor } from "@rollcall/time"

/** Blocks of 1,022 addresses in 240.0.0.0/4, which is reserved: no cluster gives its nodes ranges from there. */
const BLOCKS = 2 ** 18
const BLOCK_BITS = 10
const FIRST = 240 * 2 ** 24

const textOf = (block: number): string => {
  const base = FIRST + block * 2 ** BLOCK_BITS
  return `${[24, 16, 8, 0].map((shift) => Math.floor(base / 2 ** shift) % 256).join(".")}/${32 - BLOCK_BITS}`
}

/**
 * The range from which a machine's pods get addresses as long as its Node has no podCIDR, as a network plugin with an address
 * management of its own gives them. It follows from the name, so that it is the same after a restart. `taken` has the blocks of
 * the other machines, and gets this one: two have none in common, up to 262,144 of them.
 */
export const ownPodRange = (name: string, taken: Set<number>): string => {
  let block = Math.floor(rngFor(0, `pod range ${name}`)() * BLOCKS)
  for (let tried = 0; tried < BLOCKS && taken.has(block); tried++) block = (block + 1) % BLOCKS
  taken.add(block)
  return textOf(block)
}
