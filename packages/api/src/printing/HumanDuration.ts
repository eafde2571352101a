import { parseTime } from "../Time.ts"

// In seconds.
const MINUTE = 60
const HOUR = 3600
const DAY = 86_400
const YEAR = 365 * DAY

/** Formats two units as `2m5s`, or as `2m` if the smaller one is zero. */
const twoUnits = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit}${small}${smallUnit}`

/**
 * Formats a duration as kubectl's AGE column does, with one unit or two: `5m30s`, `23h`. A negative duration of less than
 * two seconds is `0s`, because clocks differ; a longer one is `<invalid>`. Upstream: apimachinery/pkg/util/duration,
 * HumanDuration.
 */
export const humanDuration = (durationMs: number): string => {
  const seconds = Math.trunc(durationMs / 1000)
  if (seconds < -1) return "<invalid>"
  if (seconds < 0) return "0s"
  if (seconds < 2 * MINUTE) return `${seconds}s`
  if (seconds < 10 * MINUTE) return twoUnits(Math.floor(seconds / MINUTE), "m", seconds % MINUTE, "s")
  if (seconds < 3 * HOUR) return `${Math.floor(seconds / MINUTE)}m`
  if (seconds < 8 * HOUR) return twoUnits(Math.floor(seconds / HOUR), "h", Math.floor(seconds / MINUTE) % 60, "m")
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)}h`
  if (seconds < 8 * DAY) return twoUnits(Math.floor(seconds / DAY), "d", Math.floor(seconds / HOUR) % 24, "h")
  if (seconds < 2 * YEAR) return `${Math.floor(seconds / DAY)}d`
  if (seconds < 8 * YEAR) return twoUnits(Math.floor(seconds / YEAR), "y", Math.floor(seconds / DAY) % 365, "d")
  return `${Math.floor(seconds / YEAR)}y`
}

/** Returns the age of an API time, formatted; `<unknown>` if the time is absent or invalid. */
export const ageOf = (time: string | null | undefined, nowMs: number): string => {
  if (time === undefined || time === null || time === "") return "<unknown>"
  const ms = parseTime(time)
  return Number.isNaN(ms) ? "<unknown>" : humanDuration(nowMs - ms)
}
