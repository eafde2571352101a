import { goQuote } from "@rollcall/api"
import type { Meter } from "./Meter.ts"
import type { CelFunction } from "./operators.ts"
import { compilePattern, compileSteps, type Pattern, PatternFault } from "./patterns.ts"
import { CelError, CelList, ItemList, textSize, type Value } from "./values.ts"

type TextFunction = (text: string, args: ReadonlyArray<Value>, meter: Meter) => Value | undefined

/** Makes a function of a text. */
const ofText =
  (work: TextFunction): CelFunction =>
  ([text, ...args], meter) => {
    if (typeof text !== "string") return undefined
    meter.read(text.length)
    return work(text, args, meter)
  }

/** Makes a function of two texts. */
const ofTexts = (work: (text: string, other: string, meter: Meter, more: ReadonlyArray<Value>) => Value | undefined) =>
  ofText((text, [other, ...more], meter) => (typeof other === "string" ? work(text, other, meter, more) : undefined))

/** Returns a text as a sequence of code points, by which positions count; the text itself if all are one unit long. */
const codePoints = (text: string, meter: Meter): string | ReadonlyArray<string> => {
  if (textSize(text) === text.length) return text
  meter.make(text.length)
  return Array.from(text)
}

const cut = (of: string | ReadonlyArray<string>, from: number, to?: number): string => {
  const part = of.slice(from, to)
  return typeof part === "string" ? part : part.join("")
}

const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`)

const charAt = ofText((text, [index], meter) => {
  if (typeof index !== "bigint") return undefined
  const characters = codePoints(text, meter)
  if (index < 0n || index > BigInt(characters.length)) return outOfRange(index)
  return characters[Number(index)] ?? ""
})

const substring = ofText((text, [from, to], meter) => {
  const characters = codePoints(text, meter)
  const end = to ?? BigInt(characters.length)
  if (typeof from !== "bigint" || typeof end !== "bigint") return undefined
  if (to !== undefined && from > end) return new CelError(`invalid substring range. start: ${from}, end: ${end}`)
  if (from < 0n || from > BigInt(characters.length)) return outOfRange(from)
  if (end < 0n || end > BigInt(characters.length)) return outOfRange(end)
  return cut(characters, Number(from), Number(end))
})

/** Converts an index into a position in code points. */
const positionOfIndex = (text: string, at: number): bigint => BigInt(at < 0 ? -1 : textSize(text.slice(0, at)))

/** Converts a position in code points into an index. */
const indexOfPosition = (text: string, at: number, meter: Meter): number => {
  const characters = codePoints(text, meter)
  return typeof characters === "string" ? at : characters.slice(0, at).join("").length
}

/** Counts the steps of a search of a text in another: the product of both lengths is JavaScript's worst case. */
const countSearch = (text: string, part: string, meter: Meter): void =>
  meter.spend((text.length * Math.min(part.length, 64)) / 32)

export const indexOfText = ofTexts((text, part, meter, [from = 0n]) => {
  countSearch(text, part, meter)
  if (typeof from !== "bigint") return undefined
  if (part === "") return from
  if (from < 0n) return outOfRange(from)
  if (from >= BigInt(textSize(text))) return -1n
  return positionOfIndex(text, text.indexOf(part, indexOfPosition(text, Number(from), meter)))
})

export const lastIndexOfText = ofTexts((text, part, meter, [from]) => {
  countSearch(text, part, meter)
  if (from === undefined) return positionOfIndex(text, text.lastIndexOf(part))
  if (typeof from !== "bigint") return undefined
  if (part === "") return from
  if (from < 0n) return outOfRange(from)
  if (from >= BigInt(textSize(text))) return -1n
  return positionOfIndex(text, text.lastIndexOf(part, indexOfPosition(text, Number(from), meter)))
})

/** Splits a text at separators, into at most that many parts; `""` separates all characters. */
const splitText = (text: string, separator: string, limit: number, meter: Meter): ReadonlyArray<string> => {
  if (limit === 0) return []
  countSearch(text, separator, meter)
  const found: Array<string> = []
  if (separator === "") {
    const characters = codePoints(text, meter)
    meter.make(Math.min(limit, characters.length) * 8)
    if (limit >= characters.length) return [...characters]
    return [...characters.slice(0, limit - 1), cut(characters, limit - 1)]
  }
  let from = 0
  while (found.length < limit - 1) {
    const to = text.indexOf(separator, from)
    if (to < 0) break
    meter.make(8)
    found.push(text.slice(from, to))
    from = to + separator.length
  }
  found.push(text.slice(from))
  return found
}

const limitOf = (limit: Value | undefined): number | undefined => {
  if (limit === undefined) return Infinity
  if (typeof limit !== "bigint") return undefined
  return limit < 0n ? Infinity : Number(limit)
}

const split = ofTexts((text, separator, meter, [limit]) => {
  const most = limitOf(limit)
  return most === undefined ? undefined : new ItemList([...splitText(text, separator, most, meter)])
})

const replace = ofTexts((text, from, meter, [to, limit]) => {
  const most = limitOf(limit)
  if (typeof to !== "string" || most === undefined) return undefined
  if (from === "") return replaceEmpty(text, to, most, meter)
  const kept = splitText(text, from, most + 1, meter)
  meter.make(text.length + (kept.length - 1) * to.length)
  return kept.join(to)
})

/** Go inserts the replacement before each character and at the end. */
const replaceEmpty = (text: string, to: string, most: number, meter: Meter): string => {
  const characters = codePoints(text, meter)
  const count = Math.min(most, characters.length + 1)
  meter.make(text.length + count * to.length)
  let made = ""
  for (let at = 0; at < characters.length; at++) made += (at < count ? to : "") + characters[at]
  return count > characters.length ? made + to : made
}

const join: CelFunction = ([list, separator = ""], meter) => {
  if (!(list instanceof CelList) || typeof separator !== "string") return undefined
  const texts: Array<string> = []
  for (const item of list) {
    if (typeof item !== "string") return undefined
    meter.make(item.length + separator.length)
    texts.push(item)
  }
  return texts.join(separator)
}

/** The fraction of a step of `Meter` as which one step of a pattern counts: it takes at most 25 ns. */
const PATTERN_STEP = 1 / 8

/** Runs a pattern on a text; its steps are counted before. */
const withPattern = (text: string, source: string, meter: Meter, run: (pattern: Pattern) => Value): Value => {
  meter.spend(compileSteps(source) * PATTERN_STEP)
  const pattern = compilePattern(source)
  if (pattern instanceof PatternFault) return new CelError(pattern.message)
  meter.spend(pattern.steps(text.length) * PATTERN_STEP)
  return run(pattern)
}

const find = ofTexts((text, source, meter) =>
  withPattern(text, source, meter, (pattern) => {
    const matcher = pattern.for(text.length).matcher(text)
    return matcher.find() ? (matcher.group() ?? "") : ""
  })
)

const findAll = ofTexts((text, source, meter, [limit]) => {
  const most = limitOf(limit)
  if (most === undefined) return undefined
  return withPattern(text, source, meter, (pattern) => {
    const matcher = pattern.for(text.length).matcher(text)
    const found: Array<Value> = []
    while (found.length < most && matcher.find()) {
      // Each search starts again: even a short match may have scanned the whole rest.
      meter.spend(pattern.steps(text.length - matcher.end()) * PATTERN_STEP)
      meter.make(8)
      found.push(matcher.group() ?? "")
    }
    return new ItemList(found)
  })
})

/** Writes a text as a literal; other characters than these need no escape. */
const quote = (text: string): string => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those that have a short escape.
  const written = text.replace(/[\u0007\b\f\n\r\t\v\\"]/g, (character) => goQuote(character).slice(1, -1))
  return `"${written.replace(/\p{Surrogate}/gu, "\ufffd")}"`
}

const counted = (made: string, meter: Meter): string => {
  meter.make(made.length)
  return made
}

/** White space as defined by Unicode. Upstream: unicode.IsSpace. */
const whiteSpace = /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/

const trim = ofText((text) => {
  let from = 0
  let to = text.length
  while (from < to && whiteSpace.test(text[from] ?? "")) from++
  while (to > from && whiteSpace.test(text[to - 1] ?? "")) to--
  return text.slice(from, to)
})

/** The functions of texts. Upstream: cel-go/ext/strings.go; apiserver/pkg/cel/library/regex.go. */
export const textFunctions: Readonly<Record<string, CelFunction>> = {
  charAt,
  contains: ofTexts((text, part, meter) => {
    countSearch(text, part, meter)
    return text.includes(part)
  }),
  endsWith: ofTexts((text, part) => text.endsWith(part)),
  find,
  findAll,
  join,
  lowerAscii: ofText((text, _, meter) =>
    counted(
      text.replace(/[A-Z]+/g, (part) => part.toLowerCase()),
      meter
    )
  ),
  matches: ofTexts((text, source, meter) => withPattern(text, source, meter, (pattern) => pattern.matches(text))),
  replace,
  split,
  startsWith: ofTexts((text, part) => text.startsWith(part)),
  "jsonpatch.escapeKey": ofText((text, _, meter) =>
    counted(
      text.replace(/[~/]/g, (mark) => (mark === "~" ? "~0" : "~1")),
      meter
    )
  ),
  "strings.quote": ofText((text, _, meter) => counted(quote(text), meter)),
  substring,
  trim,
  upperAscii: ofText((text, _, meter) =>
    counted(
      text.replace(/[a-z]+/g, (part) => part.toUpperCase()),
      meter
    )
  )
}
