const isDigit = (character: string | undefined): boolean => character !== undefined && /^\p{Nd}$/u.test(character)
const isLetter = (character: string): boolean => /^\p{L}$/u.test(character)
const code = (character: string): number => character.codePointAt(0) ?? 0

/** Returns the number whose digits start at this index, and the index after them. */
const numberAt = (characters: ReadonlyArray<string>, start: number, first: number): readonly [number, number] => {
  let value = first
  let at = start
  for (; isDigit(characters[at]); at++) value = value * 10 + Number(characters[at])
  return [value, at]
}

/** Whether the digits before this index are part of a number that does not begin with zeros only. */
const followsNumber = (characters: ReadonlyArray<string>, index: number): boolean => {
  for (let at = index - 1; at >= 0 && isDigit(characters[at]); at--) if (characters[at] !== "0") return true
  return false
}

/**
 * Compares keys of a map as goyaml sorts them: digits by the number that they form, and letters after other characters.
 * Upstream: go.yaml.in/yaml/v2, sorter.go.
 */
export const compareKeys = (left: string, right: string): number => {
  const a = [...left]
  const b = [...right]
  for (let at = 0; at < a.length && at < b.length; at++) {
    const [ours, theirs] = [a[at] as string, b[at] as string]
    if (ours === theirs) continue
    const [oursIsLetter, theirsIsLetter] = [isLetter(ours), isLetter(theirs)]
    if (oursIsLetter && theirsIsLetter) return code(ours) - code(theirs)
    if (oursIsLetter || theirsIsLetter) return theirsIsLetter ? -1 : 1
    const first = (ours === "0" || theirs === "0") && followsNumber(a, at) ? 1 : 0
    const [ourNumber, ourEnd] = numberAt(a, at, first)
    const [theirNumber, theirEnd] = numberAt(b, at, first)
    return ourNumber - theirNumber || ourEnd - theirEnd || code(ours) - code(theirs)
  }
  return a.length - b.length
}
