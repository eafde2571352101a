/**
 * Wire times by integer arithmetic: no Date, and the text of the last second is kept, because thousands of heartbeats
 * share it. Upstream: apimachinery/pkg/apis/meta/v1/{time,micro_time}.go.
 */

const pad = (value: number, width: number): string => String(value).padStart(width, "0")

/** Days since 1970-01-01 to year, month, day in the proleptic Gregorian calendar (era arithmetic, years from March). */
const civil = (days: number): string => {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`
}

const daysFromCivil = (year: number, month: number, day: number): number => {
  const marchYear = month <= 2 ? year - 1 : year
  const era = Math.floor(marchYear / 400)
  const yearOfEra = marchYear - era * 400
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
}

let cachedSecond = Number.NaN
let cachedPrefix = ""
let cachedTime = ""

/** The text up to the seconds of a whole second since the epoch, without zone. */
const prefixOf = (second: number): string => {
  if (second === cachedSecond) return cachedPrefix
  const days = Math.floor(second / 86_400)
  const rest = second - days * 86_400
  const hours = Math.floor(rest / 3600)
  const minutes = Math.floor((rest - hours * 3600) / 60)
  cachedPrefix = `${civil(days)}T${pad(hours, 2)}:${pad(minutes, 2)}:${pad(rest % 60, 2)}`
  cachedTime = `${cachedPrefix}Z`
  cachedSecond = second
  return cachedPrefix
}

/** `2026-01-01T00:00:00Z`: the fraction is cut, as on the wire. */
export const formatTime = (ms: number): string => {
  prefixOf(Math.floor(ms / 1000))
  return cachedTime
}

/** `2026-01-01T00:00:00.000000Z`, cut to microseconds. */
export const formatMicroTime = (ms: number): string => {
  const second = Math.floor(ms / 1000)
  // The small allowance undoes the binary error of a fraction of a millisecond: 0.001 ms must not print as 000000.
  const micros = Math.floor((ms - second * 1000) * 1000 + 0.1)
  if (micros >= 1_000_000) return `${prefixOf(second + 1)}.000000Z`
  const digits = String(1_000_000 + micros)
  return `${prefixOf(second)}.${digits.slice(1)}Z`
}

const daysInMonth = (year: number, month: number): number =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : month === 4 || month === 6 || month === 9 || month === 11
      ? 30
      : 31

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/

/** Milliseconds since the epoch of an RFC 3339 text, to the microsecond; NaN if it is none. */
export const parseTime = (text: string): number => {
  const match = rfc3339.exec(text)
  if (match === null) return Number.NaN
  const year = Number(match[1])
  const month = Number(match[2])
  const day = Number(match[3])
  const hour = Number(match[4])
  const minute = Number(match[5])
  const second = Number(match[6])
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return Number.NaN
  if (hour > 23 || minute > 59 || second > 59) return Number.NaN
  const offsetHours = match[9] === undefined ? 0 : Number(match[9])
  const offsetMinutes = match[10] === undefined ? 0 : Number(match[10])
  if (offsetHours > 24 || offsetMinutes > 59) return Number.NaN
  const offset = (match[8] === "-" ? -60 : 60) * (offsetHours * 60 + offsetMinutes)
  const seconds = daysFromCivil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
  const micros = match[7] === undefined ? 0 : Number(match[7].slice(0, 6).padEnd(6, "0"))
  return seconds * 1000 + micros / 1000
}
