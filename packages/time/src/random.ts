import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { FNV_OFFSET, fnv1a } from "./fnv1a.ts"

/** Random numbers for plain code: each call gives the next one in [0, 1) of its own sequence. */
export type Rng = () => number

/** 32 bits that a sequence goes on from: small enough to keep one for each of thousands of nodes. */
export type RngState = number

/** The state after a draw. Mulberry32: enough for jitter, and the same on every machine. */
export const nextState = (state: RngState): RngState => (state + 0x6d2b79f5) | 0

/** The number in [0, 1) that a state stands for. */
export const draw = (state: RngState): number => {
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}

/** A sequence whose state can be read and set. */
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

/** The sequence of a seed. */
export const rngOf = (seed: number): Rng => new Mulberry32(seed).next

/**
 * The sequence of a seed for one purpose. Sequences of different purposes are independent, so that a change in one part of a scenario
 * leaves the numbers of the others as they were.
 */
export const rngFor = (seed: number, purpose: string): Rng => rngOf(fnv1a(purpose, fnv1a(String(seed), FNV_OFFSET)))

/** A sequence seeded from Effect's Random: one draw now, none later, so that what its owner does shifts no other sequence. */
export const nextRng: Effect.Effect<Rng> = Effect.map(Random.nextInt, rngOf)
