/** Groups items by their text, in order of each group's first item. */
export const grouped = <A>(
  items: ReadonlyArray<A>,
  textOf: (item: A) => string
): ReadonlyArray<readonly [string, ReadonlyArray<A>]> => [...Map.groupBy(items, textOf)]
