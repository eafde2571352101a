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

/** A generator seeded from Effect's Random: one draw now, none later, so that what the owner does shifts nobody else's chance. */
export const nextChance: Effect.Effect<Chance> = Effect.map(Random.nextInt, chanceOf)
