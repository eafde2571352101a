import { writeIn } from "../writeIn.ts"
import { type Filter, type FilterProgram, MAX_KEPT } from "./Filter.ts"
import { countOf, filterOptions, withoutEnd } from "./filterOptions.ts"

/** `-N` is `-n N`. */
const withCount = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [, count] = /^-(\d+)$/.exec(args[0] ?? "") ?? []
  return count === undefined ? args : ["-n", count, ...args.slice(1)]
}

const head: FilterProgram = (args) => {
  const options = filterOptions(withCount(args), "q", "nc")
  const { values, words: paths } = options ?? { values: new Map<string, ReadonlyArray<string>>(), words: [] }
  const [asked = "10"] = values.get("c") ?? values.get("n") ?? []
  const count = countOf(asked)
  if (options === undefined || count === undefined || paths.length > 1) return undefined
  let left = count
  const isDone = () => left <= 0
  if (!values.has("c")) {
    return {
      paths,
      isDone,
      line: (line) => {
        left--
        return line
      }
    }
  }
  return {
    paths,
    isDone,
    line: (line) => {
      const shown = line.slice(0, left)
      left -= shown.length
      return shown
    }
  }
}

const tail: FilterProgram = (args) => {
  const options = filterOptions(withCount(args), "q", "n")
  const [asked = "10"] = options?.values.get("n") ?? []
  const from = countOf(/^\+(.+)$/.exec(asked)?.[1])
  const count = countOf(asked)
  if (options === undefined || (from ?? count) === undefined || options.words.length > 1) return undefined
  const paths = options.words
  let seen = 0
  if (from !== undefined) return { paths, line: (line) => (++seen >= from ? line : "") }
  const last: Array<string> = []
  let kept = 0
  return {
    paths,
    line: (line) => {
      last.push(line)
      kept += line.length
      if (last.length > (count ?? 0)) kept -= last.shift()?.length ?? 0
      return kept > MAX_KEPT ? undefined : ""
    },
    end: () => last.join("")
  }
}

/** The width is that of busybox, which pads unless one thing is counted. */
const wc: FilterProgram = (args) => {
  const options = filterOptions(args, "lwc")
  if (options === undefined || options.words.length > 1) return undefined
  const { flags, words: paths } = options
  const counts = { l: 0, w: 0, c: 0 }
  const asked = (["l", "w", "c"] as const).filter((flag) => flags.size === 0 || flags.has(flag))
  const name = paths.length === 0 || paths[0] === "-" ? "" : ` ${paths[0]}`
  return {
    paths,
    line: (line) => {
      counts.l += line.endsWith("\n") ? 1 : 0
      counts.w += line.split(/\s+/).filter((word) => word !== "").length
      for (const char of line) counts.c += utf8Length(char)
      return ""
    },
    end: () => {
      const [only, ...others] = asked
      if (only !== undefined && others.length === 0) return `${counts[only]}${name}\n`
      return `${asked.map((flag) => String(counts[flag]).padStart(9)).join(" ")}${name}\n`
    }
  }
}

const utf8Length = (char: string): number => {
  const code = char.codePointAt(0) ?? 0
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
}

/** Gathers lines until the end. */
const gathering = (paths: ReadonlyArray<string>, end: (lines: ReadonlyArray<string>) => string): Filter => {
  const lines: Array<string> = []
  let kept = 0
  return {
    paths,
    line: (line) => {
      kept += line.length
      lines.push(withoutEnd(line))
      return kept > MAX_KEPT ? undefined : ""
    },
    end: () => end(lines)
  }
}

const numberOf = (text: string): number => Number(/^\s*(-?\d+(?:\.\d+)?)/.exec(text)?.[1] ?? 0)
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const sort: FilterProgram = (args) => {
  const options = filterOptions(args, "nru")
  if (options === undefined) return undefined
  const { flags, words } = options
  const compare = (a: string, b: string): number =>
    flags.has("n") ? numberOf(a) - numberOf(b) || (flags.has("u") ? 0 : byText(a, b)) : byText(a, b)
  return gathering(words, (lines) => {
    const sorted = lines.toSorted((a, b) => (flags.has("r") ? compare(b, a) : compare(a, b)))
    const kept = flags.has("u")
      ? sorted.filter((line, at) => at === 0 || compare(line, sorted[at - 1] ?? "") !== 0)
      : sorted
    return kept.map((line) => `${line}\n`).join("")
  })
}

const uniq: FilterProgram = (args) => {
  const options = filterOptions(args, "cdu")
  if (options === undefined || options.words.length > 1) return undefined
  const { flags, words } = options
  return gathering(words, (lines) => {
    const groups: Array<{ readonly line: string; count: number }> = []
    for (const line of lines) {
      const last = groups.at(-1)
      if (last?.line === line) last.count++
      else groups.push({ line, count: 1 })
    }
    return groups
      .filter(({ count }) => !(flags.has("d") && count === 1) && !(flags.has("u") && count > 1))
      .map(({ count, line }) => `${flags.has("c") ? `${String(count).padStart(7)} ` : ""}${line}\n`)
      .join("")
  })
}

const setClasses: Readonly<Record<string, string>> = {
  "[:upper:]": "A-Z",
  "[:lower:]": "a-z",
  "[:digit:]": "0-9",
  "[:alpha:]": "A-Za-z",
  "[:alnum:]": "A-Za-z0-9",
  "[:space:]": " \\t\\n\\r\\f\\v"
}

/** Returns the characters of a set of tr; undefined for a class that is not modelled. */
const charactersOf = (set: string): ReadonlyArray<string> | undefined => {
  const plain = set
    .replace(/\[:\w+:\]/g, (name) => setClasses[name] ?? name)
    .replace(/\\([ntrfv\\])/g, (_, letter: string) => {
      const found: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v" }
      return found[letter] ?? letter
    })
  if (/\[[:=.]|\\\d/.test(plain)) return undefined
  const characters: Array<string> = []
  for (let at = 0; at < plain.length; at++) {
    const [first, last] = [plain.charCodeAt(at), plain.charCodeAt(at + 2)]
    if (plain.charAt(at + 1) !== "-" || Number.isNaN(last)) characters.push(plain.charAt(at))
    else {
      for (let code = first; code <= last && characters.length < 1000; code++)
        characters.push(String.fromCharCode(code))
      at += 2
    }
  }
  return characters
}

const tr: FilterProgram = (args) => {
  const options = filterOptions(args, "dsc")
  const [from, to] = (options?.words ?? []).map(charactersOf)
  if (options === undefined || from === undefined || options.words.length > 2) return undefined
  const { flags, words } = options
  const isOne = words.length === 1
  if ((isOne && !flags.has("d") && !flags.has("s")) || (!isOne && (to === undefined || flags.has("d"))))
    return undefined
  const isIn = (char: string): boolean => from.includes(char) !== flags.has("c")
  const last = to?.at(-1) ?? ""
  const changed = (char: string): string => {
    if (!isIn(char)) return char
    if (flags.has("d")) return ""
    return isOne ? char : flags.has("c") ? last : (to?.[from.lastIndexOf(char)] ?? last)
  }
  const squeezed = (char: string): boolean => flags.has("s") && (isOne ? isIn(char) : to?.includes(char) === true)
  let previous = ""
  return {
    paths: [],
    line: (line) => {
      let text = ""
      for (const char of line) {
        const next = changed(char)
        if (next !== "" && !(next === previous && squeezed(next))) text += next
        if (next !== "") previous = next
      }
      return text
    }
  }
}

/** Returns whether a list such as `1,3-5,7-` has a number, which begins with 1. */
const inList = (list: string): ((number: number) => boolean) | undefined => {
  const ranges = list.split(",").map((part) => /^(\d*)(-?)(\d*)$/.exec(part))
  if (ranges.some((range) => range === null || range[0] === "" || range[0] === "-")) return undefined
  return (number) =>
    ranges.some((range) => {
      const [, first = "", dash = "", last = ""] = range ?? []
      return dash === "" ? number === Number(first) : number >= Number(first) && (last === "" || number <= Number(last))
    })
}

const cut: FilterProgram = (args) => {
  const options = filterOptions(args, "s", "dfcb")
  if (options === undefined) return undefined
  const { flags, values, words: paths } = options
  const [list] = values.get("f") ?? values.get("c") ?? values.get("b") ?? []
  const [delimiter = "\t"] = values.get("d") ?? []
  const has = list === undefined ? undefined : inList(list)
  if (has === undefined || delimiter.length !== 1) return undefined
  const parts = (text: string, by: string): string =>
    text
      .split(by)
      .filter((_, at) => has(at + 1))
      .join(by)
  return {
    paths,
    line: (line) => {
      const text = withoutEnd(line)
      if (!values.has("f")) return `${[...text].filter((_, at) => has(at + 1)).join("")}\n`
      if (!text.includes(delimiter)) return flags.has("s") ? "" : `${text}\n`
      return `${parts(text, delimiter)}\n`
    }
  }
}

/** Writes its input on, and into files. */
const tee: FilterProgram = (args, context) => {
  const options = filterOptions(args, "a")
  if (options === undefined || context.world === undefined) return undefined
  const { flags, words } = options
  const problems = words.map((path) => writeIn(context, path, "", flags.has("a")))
  if (problems.some((problem) => problem !== undefined)) return undefined
  return {
    paths: [],
    line: (line) => {
      for (const path of words) writeIn(context, path, line, true)
      return line
    }
  }
}

const cat: FilterProgram = (args) =>
  args.includes("-") && args.every((arg) => arg === "-" || !arg.startsWith("-"))
    ? { paths: args, line: (line) => line }
    : undefined

/** Programs that read lines, by what they do with each. */
export const lineFilters: Readonly<Record<string, FilterProgram>> = { cat, cut, head, sort, tail, tee, tr, uniq, wc }
