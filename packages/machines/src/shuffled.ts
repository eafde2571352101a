import type { Rng } from "@rollcall/time"

/** The items in an order that the generator chooses. */
export const shuffled = <A>(items: ReadonlyArray<A>, chance: Rng): ReadonlyArray<A> => {
  const copy = [...items]
  for (let index = copy.length - 1; index > 0; index--) {
    const other = Math.floor(chance() * (index + 1))
    const item = copy[index] as A
    copy[index] = copy[other] as A
    copy[other] = item
  }
  return copy
}
