import type { FilterProgram } from "./Filter.ts"
import { countOf, filterOptions, withoutEnd } from "./filterOptions.ts"
import { type PatternMatch, type Search, searchFor } from "./ShellPattern.ts"

const specials = /[\\^$.*[\]]/g

/** Finds the first match that is a word by itself, or the whole line; undefined if that is not known. */
const found = (
  search: Search,
  text: string,
  from: number,
  flags: ReadonlySet<string>
): PatternMatch | null | undefined => {
  const isWordChar = (at: number): boolean => /\w/.test(text.charAt(at))
  for (let at = from; at <= text.length; ) {
    const match = search(text, at)
    if (match === null || match === undefined) return match
    const { end, start } = match
    const isWord = !flags.has("w") || !((start > 0 && isWordChar(start - 1)) || isWordChar(end))
    if (isWord && (!flags.has("x") || (start === 0 && end === text.length))) return match
    at = start + 1
  }
  return null
}

/** Returns the searches for the patterns of grep; undefined if one is not modelled. */
const searches = (patterns: ReadonlyArray<string>, flags: ReadonlySet<string>): ReadonlyArray<Search> | undefined => {
  const all = patterns
    .flatMap((pattern) => pattern.split("\n"))
    .map((pattern) => {
      const text = flags.has("F") ? pattern.replace(specials, "\\$&") : pattern
      const whole = flags.has("x") && !flags.has("F") && flags.has("E") ? `^(${text})$` : text
      return searchFor(whole, flags.has("E") && !flags.has("F"), flags.has("i"))
    })
  return all.every((search) => search !== undefined) ? all : undefined
}

/** Returns the matches of a line with a flag `o`, each in a line. */
const onlyMatches = (search: Search, text: string, flags: ReadonlySet<string>): ReadonlyArray<string> | undefined => {
  const matches: Array<string> = []
  for (let at = 0; at < text.length; ) {
    const match = found(search, text, at, flags)
    if (match === undefined) return undefined
    if (match === null) break
    if (match.end > match.start) matches.push(text.slice(match.start, match.end))
    at = Math.max(match.end, match.start + 1)
  }
  return matches
}

const grepWith =
  (preset: string): FilterProgram =>
  (args) => {
    const options = filterOptions(args, "EFchHilnoqsvwx", "em")
    if (options === undefined) return undefined
    const flags = new Set([...options.flags, ...preset])
    const given = options.values.get("e")
    const [first, ...others] = options.words
    const patterns = given ?? (first === undefined ? undefined : [first])
    const paths = given === undefined ? others : options.words
    const [asked] = options.values.get("m") ?? []
    const most = asked === undefined ? Number.POSITIVE_INFINITY : countOf(asked)
    const all = patterns === undefined ? undefined : searches(patterns, flags)
    if (all === undefined || most === undefined || (flags.has("o") && (all.length > 1 || flags.has("v"))))
      return undefined
    if ((flags.has("c") || flags.has("l")) && paths.length > 1) return undefined
    const isNamed = flags.has("H") || (paths.length > 1 && !flags.has("h"))
    let number = 0
    let count = 0
    const isQuiet = flags.has("q") || flags.has("c") || flags.has("l")
    return {
      paths,
      failure: 2,
      isDone: () => count >= most || (count > 0 && (flags.has("q") || flags.has("l"))),
      status: () => (count > 0 ? 0 : 1),
      line: (line, path) => {
        number++
        const text = withoutEnd(line)
        const matches = all.map((search) => found(search, text, 0, flags))
        if (matches.includes(undefined)) return undefined
        if (matches.some((match) => match !== null) === flags.has("v")) return ""
        count++
        if (isQuiet) return ""
        const start = `${isNamed ? `${path}:` : ""}${flags.has("n") ? `${number}:` : ""}`
        const [only] = all
        const shown = flags.has("o") && only !== undefined ? onlyMatches(only, text, flags) : [text]
        return shown?.map((piece) => `${start}${piece}\n`).join("")
      },
      end: () => {
        if (flags.has("q")) return ""
        if (flags.has("l")) return count > 0 ? `${paths[0] ?? "(standard input)"}\n` : ""
        return flags.has("c") ? `${isNamed ? `${paths[0]}:` : ""}${count}\n` : ""
      }
    }
  }

export const patternFilters: Readonly<Record<string, FilterProgram>> = {
  grep: grepWith(""),
  egrep: grepWith("E"),
  fgrep: grepWith("F")
}
