/** Returns the texts in double quotes, as they are, separated by commas. */
export const joinQuoted = (texts: ReadonlyArray<string>): string => texts.map((text) => `"${text}"`).join(", ")

/** Returns the noun for a count. */
export const plural = (count: number, one: string, many = `${one}s`): string => (count === 1 ? one : many)

/** Names containers or volumes: `containers "a", "b"`. */
export const namesWith = (noun: string, names: ReadonlyArray<string>): string =>
  `${plural(names.length, noun)} ${joinQuoted(names)}`

/** Names who has set a field: the pod, containers, or both; empty if none has. */
export const settersOf = (isPod: boolean, containers: ReadonlyArray<string>): string =>
  [...(isPod ? ["pod"] : []), ...(containers.length === 0 ? [] : [namesWith("container", containers)])].join(" and ")

/** Returns the texts without repetitions, in order. */
export const distinct = (texts: Iterable<string>): ReadonlyArray<string> => [...new Set(texts)].sort()
