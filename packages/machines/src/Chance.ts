/** A seeded generator of numbers in [0, 1). */
export type Chance = () => number

const mix = (state: number, text: string): number => {
  let hash = state
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

/**
 * A generator for one purpose: generators of different purposes do not disturb each other, so that a change in one part of a
 * scenario leaves the chance of the others as it was. Mulberry32 over an FNV-1a hash of seed and purpose.
 */
export const chanceFor = (seed: number, purpose: string): Chance => {
  let state = mix(mix(0x811c9dc5, String(seed)), purpose)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The items in an order that the generator chooses. */
export const shuffled = <A>(items: ReadonlyArray<A>, chance: Chance): ReadonlyArray<A> => {
  const copy = [...items]
  for (let index = copy.length - 1; index > 0; index--) {
    const other = Math.floor(chance() * (index + 1))
    const item = copy[index] as A
    copy[index] = copy[other] as A
    copy[other] = item
  }
  return copy
}
