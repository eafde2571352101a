import { uuidV4 } from "@rollcall/time"

/**
 * The server's own random numbers for names and uids, so that a seed always gives the same cluster, independent of
 * other users of random numbers. Four words of state (sfc32), because a uid needs 122 bits that do not repeat.
 */
export class SeededRandom {
  private a: number
  private b: number
  private c: number
  private counter = 1

  constructor(seeds: readonly [number, number, number]) {
    this.a = seeds[0] | 0
    this.b = seeds[1] | 0
    this.c = seeds[2] | 0
    // The generator's author discards this many numbers, until all bits of the state depend on the seed.
    for (let discarded = 0; discarded < 12; discarded++) this.nextUint32()
  }

  nextUint32(): number {
    const sum = (this.a + this.b + this.counter) | 0
    this.counter = (this.counter + 1) | 0
    this.a = this.b ^ (this.b >>> 9)
    this.b = (this.c + (this.c << 3)) | 0
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum
    this.c |= 0
    return sum >>> 0
  }
}

/** Makes a uid: a random UUID (version 4). */
export const makeUid = (random: SeededRandom): string => uuidV4(() => random.nextUint32())

/** Letters and digits that form no words. Upstream: apimachinery/pkg/util/rand/rand.go. */
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
const SUFFIX_LENGTH = 5
/** A generated name is a DNS label, of at most 63 characters. */
const MAX_BASE_LENGTH = 63 - SUFFIX_LENGTH

/**
 * Makes a name from generateName (`base`), with a random suffix. Upstream:
 * staging/src/k8s.io/apiserver/pkg/storage/names/generate.go.
 */
export const makeName = (random: SeededRandom, base: string): string => {
  let name = base.slice(0, MAX_BASE_LENGTH)
  for (let digit = 0; digit < SUFFIX_LENGTH; digit++) name += ALPHABET.charAt(random.nextUint32() % ALPHABET.length)
  return name
}
