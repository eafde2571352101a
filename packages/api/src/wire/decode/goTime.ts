import { parseTime } from "../../Time.ts"

/*
 * Go's time.Parse for the API's two layouts, with its errors. Upstream: Go's time/format.go;
 * apimachinery/pkg/apis/meta/v1/{time,micro_time}.go.
 */

export interface GoInstant {
  /** Seconds since the epoch. */
  readonly seconds: number
  readonly nanos: number
}

/** A part of a layout, in Go's notation ("2006" is the year), and the literal text before it. */
type Chunk = readonly [chunk: string, prefix: string]

const dateChunks: ReadonlyArray<Chunk> = [
  ["2006", ""],
  ["01", "-"],
  ["02", "-"],
  ["15", "T"],
  ["04", ":"],
  ["05", ":"]
]

const layouts = {
  Time: { text: "2006-01-02T15:04:05Z07:00", chunks: [...dateChunks, ["Z07:00", ""] as const] },
  MicroTime: {
    text: "2006-01-02T15:04:05.000000Z07:00",
    chunks: [...dateChunks, [".000000", ""] as const, ["Z07:00", ""] as const]
  }
}

/** Go's time package quotes non-ASCII bytes as hexadecimal escapes. */
const quote = (text: string): string => {
  const escaped = (character: string) =>
    encodeURIComponent(/\p{Surrogate}/u.test(character) ? "\uFFFD" : character)
      .toLowerCase()
      .replaceAll("%", "\\x")
  const control = (character: string) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`
  return `"${text
    .replace(/["\\]/g, "\\$&")
    .replace(/\P{ASCII}/gu, escaped)
    .replace(/\p{Cc}/gu, control)}"`
}

const isDigit = (text: string, at: number): boolean => /\d/.test(text.charAt(at))

/** Returns the one or two digits at the start of the text (if `fixed`, exactly two); undefined if there are none. */
const digitsAt = (text: string, fixed: boolean): string | undefined => {
  if (!isDigit(text, 0)) return undefined
  if (isDigit(text, 1)) return text.slice(0, 2)
  return fixed ? undefined : text.slice(0, 1)
}

const fractionAt = (text: string): string | undefined => /^[.,]\d+/.exec(text)?.[0]

const ranges: Readonly<Record<string, readonly [name: string, min: number, max: number]>> = {
  "01": ["month", 1, 12],
  "15": ["hour", 0, 23],
  "04": ["minute", 0, 59],
  "05": ["second", 0, 59]
}

/**
 * Returns the start of the text that a chunk of the layout matches, or undefined if it does not match. For a number out
 * of range, returns the name of that part of the time, as Go's error has it.
 */
const matchChunk = (
  chunk: string,
  text: string,
  isMicro: boolean
): string | { readonly range: string; rest: string } | undefined => {
  if (chunk === "2006") return /^\d{4}/.test(text) ? text.slice(0, 4) : undefined
  if (chunk === ".000000") return /^[.,]\d{6}/.test(text) ? text.slice(0, 7) : undefined
  if (chunk === "Z07:00") return matchZone(text)
  const digits = digitsAt(text, chunk !== "15")
  if (digits === undefined) return undefined
  const rest = text.slice(digits.length)
  const [name, min, max] = ranges[chunk] ?? ["", 0, 99]
  if (Number(digits) < min || Number(digits) > max) return { range: name, rest }
  return chunk === "05" && !isMicro ? digits + (fractionAt(rest) ?? "") : digits
}

const matchZone = (text: string): ReturnType<typeof matchChunk> => {
  if (text.startsWith("Z")) return "Z"
  const match = /^.(\d\d):(\d\d)/s.exec(text)
  if (match === null) return undefined
  if (Number(match[1]) > 24) return { range: "time zone offset hour", rest: text.slice(6) }
  if (Number(match[2]) > 60) return { range: "time zone offset minute", rest: text.slice(6) }
  return /^[+-]/.test(text) ? match[0] : undefined
}

/** Returns the error of time.Parse for a text that does not match the layout. */
const goError = (kind: "Time" | "MicroTime", value: string): string => {
  const { chunks, text: layout } = layouts[kind]
  const cannotParse = (rest: string, chunk: string) =>
    `parsing time ${quote(value)} as ${quote(layout)}: cannot parse ${quote(rest)} as ${quote(chunk)}`
  let rest = value
  for (const [chunk, prefix] of chunks) {
    if (!rest.startsWith(prefix)) return cannotParse(rest, prefix)
    rest = rest.slice(prefix.length)
    const matched = matchChunk(chunk, rest, kind === "MicroTime")
    if (matched === undefined) return cannotParse(rest, chunk)
    if (typeof matched !== "string") return `parsing time ${quote(value)}: ${matched.range} out of range`
    rest = rest.slice(matched.length)
  }
  if (rest !== "") return `parsing time ${quote(value)}: extra text: ${quote(rest)}`
  return `parsing time ${quote(value)}: day out of range`
}

const patterns = {
  Time: /^\d{4}-\d\d-\d\dT(\d{1,2}):\d\d:\d\d(?:[.,](\d+))?(?:Z|[+-]\d\d:\d\d)$/,
  MicroTime: /^\d{4}-\d\d-\d\dT(\d{1,2}):\d\d:\d\d[.,](\d{6})(?:Z|[+-]\d\d:\d\d)$/
}

/** Parses a time of the API. Returns the instant, or the message of Go's error. */
export const parseGoTime = (kind: "Time" | "MicroTime", text: string): GoInstant | string => {
  const match = patterns[kind].exec(text)
  if (match === null) return goError(kind, text)
  const padded = match[1]?.length === 1 ? text.replace(/T/, "T0") : text
  const ms = parseTime(padded.replace(/[.,]\d+/, ""))
  if (Number.isNaN(ms)) return goError(kind, text)
  return { seconds: ms / 1000, nanos: Number((match[2] ?? "").slice(0, 9).padEnd(9, "0")) }
}
