import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { FNV_OFFSET, fnv1a } from "./fnv1a.ts"

/** A random number generator for plain code: each call returns the next number in [0, 1) of its own sequence. */
export type Rng = () => number

/** The 32-bit state of a sequence: small enough to keep one for each of thousands of nodes. */
export type RngState = number

/** Returns the state after a draw. The generator is Mulberry32: good enough for jitter, and the same on every machine. */
export const nextState = (state: RngState): RngState => (state + 0x6d2b79f5) | 0

/** Returns the number in [0, 1) of a state. */
export const draw = (state: RngState): number => {
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}

/** A generator whose state can be read and set. */
export class Mulberry32 {
  state: RngState

  constructor(seed: number) {
    this.state = seed | 0
  }

  readonly next: Rng = () => {
    this.state = nextState(this.state)
    return draw(this.state)
  }
}

/** Returns the sequence of a seed. */
export const rngOf = (seed: number): Rng => new Mulberry32(seed).next

/**
 * Returns the sequence of a seed for one purpose. Sequences of different purposes are independent, so that a change in
 * one part of a scenario does not change the numbers of the others.
 */
export const rngFor = (seed: number, purpose: string): Rng => rngOf(fnv1a(purpose, fnv1a(String(seed), FNV_OFFSET)))

/**
 * Returns a sequence seeded by one draw from Effect's Random. Later numbers draw nothing from it, so their count does
 * not shift any other sequence.
 */
export const nextRng: Effect.Effect<Rng> = Effect.map(Random.nextInt, rngOf)
