/**
 * The server's own sequence of chance: names and uids come from here, so that one seed gives the same cluster, to the letter,
 * whatever else draws random numbers. Four words of state (sfc32), because a uid needs 122 bits that do not repeat.
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
    for (let warmUp = 0; warmUp < 12; warmUp++) this.nextUint32()
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

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

const bytesOf = (word: number): string =>
  `${hex[word >>> 24]}${hex[(word >>> 16) & 255]}${hex[(word >>> 8) & 255]}${hex[word & 255]}`

/** A version 4 UUID. */
export const makeUid = (random: SeededRandom): string => {
  const first = bytesOf(random.nextUint32())
  const second = bytesOf((random.nextUint32() & 0xffff0fff) | 0x4000)
  const third = bytesOf((random.nextUint32() & 0x3fffffff) | 0x80000000)
  const fourth = bytesOf(random.nextUint32())
  return `${first}-${second.slice(0, 4)}-${second.slice(4)}-${third.slice(0, 4)}-${third.slice(4)}${fourth}`
}

const ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
const MAX_BASE = 63 - 5

/** A name from a generateName base. Upstream: staging/src/k8s.io/apiserver/pkg/storage/names/generate.go. */
export const makeName = (random: SeededRandom, base: string): string => {
  let name = base.slice(0, MAX_BASE)
  for (let digit = 0; digit < 5; digit++) name += ALPHABET.charAt(random.nextUint32() % ALPHABET.length)
  return name
}
