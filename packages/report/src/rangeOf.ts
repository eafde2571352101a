/** Returns the least and the greatest of some numbers. Without numbers it returns Infinity and -Infinity. */
export const rangeOf = (values: Iterable<number>): readonly [least: number, most: number] => {
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  for (const value of values) {
    if (value < least) least = value
    if (value > most) most = value
  }
  return [least, most]
}
