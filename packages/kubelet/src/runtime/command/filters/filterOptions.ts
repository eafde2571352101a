/** Flags of a program, which may be written together, and the words after them. */
export interface FilterOptions {
  readonly flags: ReadonlySet<string>
  /** The values of the flags that have one, in their order. */
  readonly values: ReadonlyMap<string, ReadonlyArray<string>>
  readonly words: ReadonlyArray<string>
}

/**
 * Reads short flags: `-in`, `-e PATTERN`, `-ePATTERN`. Returns undefined for any other flag. `plain` are those without a
 * value, `valued` those with one.
 */
export const filterOptions = (args: ReadonlyArray<string>, plain: string, valued = ""): FilterOptions | undefined => {
  const flags = new Set<string>()
  const values = new Map<string, ReadonlyArray<string>>()
  const words: Array<string> = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ""
    if (arg === "--") {
      words.push(...args.slice(at + 1))
      break
    }
    if (!arg.startsWith("-") || arg === "-") {
      words.push(arg)
      continue
    }
    for (let index = 1; index < arg.length; index++) {
      const flag = arg.charAt(index)
      if (plain.includes(flag)) {
        flags.add(flag)
        continue
      }
      if (!valued.includes(flag)) return undefined
      const joined = arg.slice(index + 1)
      const value = joined === "" ? args[++at] : joined
      if (value === undefined) return undefined
      values.set(flag, [...(values.get(flag) ?? []), value])
      break
    }
  }
  return { flags, values, words }
}

/** Returns a number of a flag's value; undefined if it is none. */
export const countOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined

export const withoutEnd = (line: string): string => (line.endsWith("\n") ? line.slice(0, -1) : line)
