import type { FilterProgram } from "./Filter.ts"
import { filterOptions, withoutEnd } from "./filterOptions.ts"
import { type Search, searchFor } from "./ShellPattern.ts"

/** Which lines a command of sed is for. */
type Address = (number: number, text: string) => boolean | undefined

interface Substitution {
  readonly search: Search
  readonly replacement: string
  readonly isGlobal: boolean
  readonly isPrinted: boolean
  /** The match that is replaced first. */
  readonly nth: number
}

interface SedCommand {
  readonly address: Address
  readonly name: "s" | "d" | "p" | "q"
  readonly substitution: Substitution | undefined
}

const MAX_SCRIPT = 1000

const every: Address = () => true

/** Reads up to a delimiter that no backslash precedes; `\` before another delimiter than `/` makes it a character. */
const delimited = (
  script: string,
  from: number,
  delimiter: string
): readonly [text: string, end: number] | undefined => {
  let text = ""
  for (let at = from; at < script.length; at++) {
    const char = script.charAt(at)
    if (char === delimiter) return [text, at + 1]
    if (char === "\\") {
      const next = script.charAt(++at)
      text += next === delimiter ? delimiter : `\\${next}`
    } else text += char
  }
  return undefined
}

/** Reads the commands of a script of sed; its methods return undefined for what is not modelled. */
class SedParser {
  private readonly script: string
  private readonly isExtended: boolean
  private at = 0

  constructor(script: string, isExtended: boolean) {
    this.script = script
    this.isExtended = isExtended
  }

  commands(): ReadonlyArray<SedCommand> | undefined {
    const commands: Array<SedCommand> = []
    for (;;) {
      while (/[\s;]/.test(this.script.charAt(this.at))) this.at++
      if (this.at >= this.script.length) return commands
      const command = this.command()
      if (command === undefined) return undefined
      commands.push(command)
    }
  }

  private command(): SedCommand | undefined {
    const address = this.address()
    const name = this.script.charAt(this.at++)
    if (address === undefined || (name !== "s" && name !== "d" && name !== "p" && name !== "q")) return undefined
    if (name !== "s") {
      return /^\s*(?:[;\n]|$)/.test(this.script.slice(this.at)) ? { address, name, substitution: undefined } : undefined
    }
    const substitution = this.substitution()
    return substitution === undefined ? undefined : { address, name, substitution }
  }

  private address(): Address | undefined {
    const [all, first, , last] = /^(\d{1,6})(,(\d{1,6}))?/.exec(this.script.slice(this.at)) ?? []
    if (all !== undefined) {
      this.at += all.length
      const [from, to] = [Number(first), Number(last ?? first)]
      return (number) => number >= from && number <= Math.max(from, to)
    }
    if (this.script.charAt(this.at) !== "/") return every
    const [pattern, end] = delimited(this.script, this.at + 1, "/") ?? []
    const search = pattern === undefined ? undefined : searchFor(pattern, this.isExtended, false)
    if (search === undefined || end === undefined) return undefined
    this.at = end
    return (_, text) => {
      const match = search(text, 0)
      return match === undefined ? undefined : match !== null
    }
  }

  private substitution(): Substitution | undefined {
    const delimiter = this.script.charAt(this.at++)
    const [pattern, middle] = delimited(this.script, this.at, delimiter) ?? []
    const [replacement, end] = middle === undefined ? [] : (delimited(this.script, middle, delimiter) ?? [])
    if (pattern === undefined || replacement === undefined || end === undefined) return undefined
    const [all = "", flags = ""] = /^([gpiI\d]*)\s*(?=[;\n]|$)/.exec(this.script.slice(end)) ?? [undefined]
    if (/[^gpiI\d]/.test(flags) || (all === "" && !/^\s*(?:[;\n]|$)/.test(this.script.slice(end)))) return undefined
    this.at = end + all.length
    const search = searchFor(pattern, this.isExtended, /i/i.test(flags))
    if (search === undefined) return undefined
    const [nth = "1"] = /\d+/.exec(flags) ?? []
    return { search, replacement, isGlobal: flags.includes("g"), isPrinted: flags.includes("p"), nth: Number(nth) }
  }
}

/** Returns a replacement with the text that it refers to. */
const filledIn = (replacement: string, whole: string, groups: ReadonlyArray<string>): string =>
  replacement.replace(/\\(.)|&/g, (all, char: string | undefined) => {
    if (char === undefined) return whole
    if (/\d/.test(char)) return char === "0" ? whole : (groups[Number(char) - 1] ?? "")
    return char === "n" ? "\n" : char === "t" ? "\t" : all.slice(1)
  })

/** Returns a text with its matches replaced; null if it has none, undefined if that is not known. */
const substitute = (text: string, { isGlobal, nth, replacement, search }: Substitution): string | null | undefined => {
  let result = ""
  let at = 0
  let count = 0
  let isChanged = false
  let lastEnd = -1
  while (at <= text.length) {
    const match = search(text, at)
    if (match === undefined) return undefined
    if (match === null) break
    const { end, groups, start } = match
    // Nothing at the end of the last match is no match.
    const isMatch = end > start || start !== lastEnd
    if (isMatch) count++
    const isReplaced = isMatch && count >= nth
    result +=
      text.slice(at, start) +
      (isReplaced ? filledIn(replacement, text.slice(start, end), groups) : text.slice(start, end))
    isChanged ||= isReplaced
    at = end
    lastEnd = end
    if (end === start) {
      result += text.charAt(at)
      at++
    }
    if (isReplaced && !isGlobal) break
  }
  return isChanged ? result + text.slice(at) : null
}

/** `sed` with the commands s, d, p and q, for all lines, lines of a number, or those with a pattern. */
export const sed: FilterProgram = (args) => {
  const options = filterOptions(args, "nEr", "e")
  const given = options?.values.get("e")
  const [first, ...others] = options?.words ?? []
  const script = given?.join("\n") ?? first
  if (options === undefined || script === undefined || script.length > MAX_SCRIPT) return undefined
  const commands = new SedParser(script, options.flags.has("E") || options.flags.has("r")).commands()
  if (commands === undefined) return undefined
  let number = 0
  let isOver = false
  return {
    paths: given === undefined ? others : options.words,
    isDone: () => isOver,
    line: (line) => {
      number++
      let text = withoutEnd(line)
      const end = line.slice(text.length)
      let output = ""
      for (const { address, name, substitution } of commands) {
        const isFor = address(number, text)
        if (isFor === undefined) return undefined
        if (!isFor) continue
        if (name === "d") return output
        if (name === "q") {
          isOver = true
          break
        }
        if (substitution !== undefined) {
          const changed = substitute(text, substitution)
          if (changed === undefined) return undefined
          if (changed === null) continue
          text = changed
        }
        if (name === "p" || substitution?.isPrinted === true) output += `${text}\n`
      }
      return options.flags.has("n") ? output : output + text + end
    }
  }
}
