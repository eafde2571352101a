/*
 * Formats and parses API times with integer arithmetic instead of Date. The text of the last second is cached, because
 * thousands of heartbeats share it. Upstream: apimachinery/pkg/apis/meta/v1/{time,micro_time}.go.
 */

import { civilOf, daysFromCivil } from "./civil.ts"

const pad = (value: number, width: number): string => String(value).padStart(width, "0")

/** Formats days since 1970-01-01 as `2026-01-01`. */
const dateText = (days: number): string => {
  const { day, month, year } = civilOf(days)
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`
}

let cachedSecond = Number.NaN
let cachedPrefix = ""
let cachedTime = ""

/** Returns the text of a whole second since the epoch, up to the seconds and without time zone. */
const prefixOf = (second: number): string => {
  if (second === cachedSecond) return cachedPrefix
  const days = Math.floor(second / 86_400)
  const rest = second - days * 86_400
  const hours = Math.floor(rest / 3600)
  const minutes = Math.floor((rest - hours * 3600) / 60)
  cachedPrefix = `${dateText(days)}T${pad(hours, 2)}:${pad(minutes, 2)}:${pad(rest % 60, 2)}`
  cachedTime = `${cachedPrefix}Z`
  cachedSecond = second
  return cachedPrefix
}

/** Formats milliseconds since the epoch, truncated to seconds, as the API has times: `2026-01-01T00:00:00Z`. */
export const formatTime = (ms: number): string => {
  prefixOf(Math.floor(ms / 1000))
  return cachedTime
}

/** Formats milliseconds since the epoch, truncated to microseconds: `2026-01-01T00:00:00.000000Z`. */
export const formatMicroTime = (ms: number): string => {
  const second = Math.floor(ms / 1000)
  // A double holds present-day milliseconds to a quarter of a microsecond; the addend compensates for that rounding
  // error.
  const micros = Math.floor((ms - second * 1000) * 1000 + Math.abs(ms) * 1.2e-13)
  return micros >= 1_000_000 ? microText(second + 1, 0) : microText(second, micros)
}

const DIGIT_0 = 48
/** The character codes of the last text; most calls overwrite only its fraction. */
const characterCodes = Array.from("0000-00-00T00:00:00.000000Z", (char) => char.charCodeAt(0))
const FRACTION_AT = 20
let codesPrefix = ""

/**
 * Formats a second since the epoch and its microseconds. The text is built from character codes, because V8 keeps a
 * concatenated string as a tree of its parts until it is compared, and heartbeat times are always compared.
 */
const microText = (second: number, micros: number): string => {
  const prefix = prefixOf(second)
  if (prefix.length !== FRACTION_AT - 1) return `${prefix}.${String(1_000_000 + micros).slice(1)}Z`
  if (prefix !== codesPrefix) {
    for (let index = 0; index < prefix.length; index++) characterCodes[index] = prefix.charCodeAt(index)
    codesPrefix = prefix
  }
  let rest = micros
  for (let index = FRACTION_AT + 5; index >= FRACTION_AT; index--) {
    characterCodes[index] = DIGIT_0 + (rest % 10)
    rest = (rest / 10) | 0
  }
  return String.fromCharCode(...characterCodes)
}

const daysInMonth = (year: number, month: number): number =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : month === 4 || month === 6 || month === 9 || month === 11
      ? 30
      : 31

/** Returns milliseconds since the epoch; NaN if a part is out of range or NaN. */
const fromParts = (
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  micros: number
): number => {
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return Number.NaN
  if (hour > 23 || minute > 59 || second > 59) return Number.NaN
  const seconds = daysFromCivil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
  return seconds * 1000 + micros / 1000
}

/** Parses the two digits at a position; NaN if they are not digits. */
const twoDigits = (text: string, at: number): number => {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

/** Parses the format that this module writes: fixed positions, in UTC. Five times as fast as the regular expression. */
const parseFixed = (text: string): number => {
  // The codes of "-", "-", "T", ":" and ":".
  const hasSeparators =
    text.charCodeAt(4) === 45 &&
    text.charCodeAt(7) === 45 &&
    text.charCodeAt(10) === 84 &&
    text.charCodeAt(13) === 58 &&
    text.charCodeAt(16) === 58
  if (!hasSeparators) return Number.NaN
  const micros = text.length === 20 ? 0 : twoDigits(text, 20) * 10_000 + twoDigits(text, 22) * 100 + twoDigits(text, 24)
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2)
  return fromParts(
    year,
    twoDigits(text, 5),
    twoDigits(text, 8),
    twoDigits(text, 11),
    twoDigits(text, 14),
    twoDigits(text, 17),
    micros
  )
}

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/

const parseAny = (text: string): number => {
  const match = rfc3339.exec(text)
  if (match === null) return Number.NaN
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number)
  const [fraction = "", sign, offsetHours = "0", offsetMinutes = "0"] = match.slice(7)
  if (Number(offsetHours) > 24 || Number(offsetMinutes) > 59) return Number.NaN
  const offset = (sign === "-" ? -60_000 : 60_000) * (Number(offsetHours) * 60 + Number(offsetMinutes))
  return fromParts(year, month, day, hour, minute, second, Number(fraction.slice(0, 6).padEnd(6, "0"))) - offset
}

const isFixed = (text: string): boolean =>
  text.length === 20
    ? text.charCodeAt(19) === 90
    : text.length === 27 && text.charCodeAt(19) === 46 && text.charCodeAt(26) === 90

/** Parses an RFC 3339 time to milliseconds since the epoch, exact to the microsecond; NaN if it is not one. */
export const parseTime = (text: string): number => (isFixed(text) ? parseFixed(text) : parseAny(text))

/** Whether the text is a time with exactly six fraction digits, as a MicroTime field requires. */
export const isMicroTime = (text: string): boolean =>
  /[.,]\d{6}(?:Z|[+-]\d{2}:\d{2})$/.test(text) && !Number.isNaN(parseTime(text))
