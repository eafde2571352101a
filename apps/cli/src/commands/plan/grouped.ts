/** Items of which the same is to be said, in order of their first. */
export const grouped = <A>(
  items: ReadonlyArray<A>,
  textOf: (item: A) => string
): ReadonlyArray<readonly [string, ReadonlyArray<A>]> => {
  const groups = new Map<string, Array<A>>()
  for (const item of items) {
    const text = textOf(item)
    const known = groups.get(text)
    if (known === undefined) groups.set(text, [item])
    else known.push(item)
  }
  return [...groups]
}
