import type { Rng } from "@rollcall/time"

/** Returns the items in a random order (Fisher-Yates). */
export const shuffled = <A>(items: ReadonlyArray<A>, random: Rng): ReadonlyArray<A> => {
  const copy = [...items]
  for (let index = copy.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1))
    const item = copy[index] as A
    copy[index] = copy[other] as A
    copy[other] = item
  }
  return copy
}
