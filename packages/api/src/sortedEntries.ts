/**
 * Returns the entries of a map or object in order of their keys, as Go prints and encodes maps. Keys are compared by
 * UTF-16 code units.
 */
export function sortedEntries<A>(
  map: ReadonlyMap<string, A> | Readonly<Record<string, A>> | undefined
): Array<readonly [key: string, value: A]>
export function sortedEntries(map: object): Array<readonly [key: string, value: unknown]>
export function sortedEntries(map: object = {}): Array<readonly [key: string, value: unknown]> {
  const entries = map instanceof Map ? [...map] : Object.entries(map)
  return entries.sort(([left], [right]) => (left < right ? -1 : 1))
}
