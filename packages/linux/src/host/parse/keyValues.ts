/** Parses lines of a name, a space and a number, as in memory.stat. */
export const parseKeyValues = (text: string): ReadonlyMap<string, number> => {
  const values = new Map<string, number>()
  for (const [, name, value] of text.matchAll(/^(\S+) (\d+)$/gm)) {
    if (name !== undefined) values.set(name, Number(value))
  }
  return values
}
