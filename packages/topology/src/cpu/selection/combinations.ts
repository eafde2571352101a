/** Yields all combinations of `size` items, in the order of the list. */
export function* combinations<T>(items: ReadonlyArray<T>, size: number): Generator<ReadonlyArray<T>> {
  if (size === 0) {
    yield []
    return
  }
  for (const [index, item] of items.entries()) {
    if (items.length - index < size) return
    for (const rest of combinations(items.slice(index + 1), size - 1)) yield [item, ...rest]
  }
}
