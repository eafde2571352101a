/** Items of which the same is to be said, in order of their first. */
export const grouped = <A>(
  items: ReadonlyArray<A>,
  textOf: (item: A) => string
): ReadonlyArray<readonly [string, ReadonlyArray<A>]> => [...Map.groupBy(items, textOf)]
