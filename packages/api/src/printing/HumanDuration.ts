import { parseTime } from "../Time.ts"

const MINUTE = 60
const HOUR = 3600
const DAY = 86_400
const YEAR = 365 * DAY

/** Formats `2m5s`, or `2m` when nothing remains. */
const two = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit}${small}${smallUnit}`

/**
 * Formats a duration as the AGE column does: two or three digits, in a suitable unit. Slightly in the future (clocks
 * differ) is `0s`, more is `<invalid>`. Upstream: apimachinery/pkg/util/duration, HumanDuration.
 */
export const humanDuration = (durationMs: number): string => {
  const seconds = Math.trunc(durationMs / 1000)
  if (seconds < -1) return "<invalid>"
  if (seconds < 0) return "0s"
  if (seconds < 2 * MINUTE) return `${seconds}s`
  if (seconds < 10 * MINUTE) return two(Math.floor(seconds / MINUTE), "m", seconds % MINUTE, "s")
  if (seconds < 3 * HOUR) return `${Math.floor(seconds / MINUTE)}m`
  if (seconds < 8 * HOUR) return two(Math.floor(seconds / HOUR), "h", Math.floor(seconds / MINUTE) % 60, "m")
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)}h`
  if (seconds < 8 * DAY) return two(Math.floor(seconds / DAY), "d", Math.floor(seconds / HOUR) % 24, "h")
  if (seconds < 2 * YEAR) return `${Math.floor(seconds / DAY)}d`
  if (seconds < 8 * YEAR) return two(Math.floor(seconds / YEAR), "y", Math.floor(seconds / DAY) % 365, "d")
  return `${Math.floor(seconds / YEAR)}y`
}

/** Returns the age of a wire time; `<unknown>` without one. */
export const ageOf = (time: string | null | undefined, nowMs: number): string => {
  if (time === undefined || time === null || time === "") return "<unknown>"
  const ms = parseTime(time)
  return Number.isNaN(ms) ? "<unknown>" : humanDuration(nowMs - ms)
}
