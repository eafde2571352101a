import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** Chance for plain code: a number in [0, 1), from a sequence of its own. */
export type Chance = () => number

/** A small generator (mulberry32): enough for jitter, and the same everywhere for one seed. */
export const chanceOf = (seed: number): Chance => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const mix = (state: number, text: string): number => {
  let hash = state
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

/**
 * A generator for one purpose: generators of different purposes do not disturb each other, so that a change in one part of a
 * scenario leaves the chance of the others as it was. Mulberry32 over an FNV-1a hash of seed and purpose.
 */
export const chanceFor = (seed: number, purpose: string): Chance =>
  chanceOf(mix(mix(0x811c9dc5, String(seed)), purpose))

/** A generator seeded from Effect's Random: one draw now, none later, so that what the owner does shifts nobody else's chance. */
export const nextChance: Effect.Effect<Chance> = Effect.map(Random.nextInt, chanceOf)
