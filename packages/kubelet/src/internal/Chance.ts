/** A 32-bit state that draws follow from: small enough for one a kubelet, so that no node's chance depends on another's. */
export type Seed = number

/** The state after a draw (mulberry32). */
export const nextSeed = (seed: Seed): Seed => (seed + 0x6d2b79f5) | 0

/** The number in [0, 1) that a state stands for. */
export const draw = (seed: Seed): number => {
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}

/** A sequence of draws from a state. */
export class Chance {
  seed: Seed

  constructor(seed: Seed) {
    this.seed = seed | 0
  }

  readonly next = (): number => {
    this.seed = nextSeed(this.seed)
    return draw(this.seed)
  }
}

/** FNV-1a: a number for a name, the same everywhere. */
export const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

/** Hexadecimal digits drawn from a text: identities of modelled machines. */
export const hexOf = (text: string, digits: number): string => {
  let out = ""
  for (let seed = hashOf(text); out.length < digits; seed = nextSeed(seed)) {
    out += Math.floor(draw(seed) * 0x1_0000_0000)
      .toString(16)
      .padStart(8, "0")
  }
  return out.slice(0, digits)
}
