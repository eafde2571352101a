import { span } from "@rollcall/text"
import { rangeOf } from "./rangeOf.ts"

/** Intervals are even if each differs from their mean by at most this share of it, or by at most these seconds. */
const TOLERANCE_SHARE = 0.05
const TOLERANCE_SECONDS = 0.5

/**
 * Describes the intervals between events, given their times in seconds in order: `, one each 10s` if they are even, otherwise the least
 * interval. Returns "" for fewer than three events or for events within a second of each other.
 */
export const paceText = (times: ReadonlyArray<number>): string => {
  if (times.length < 3) return ""
  const pauses = times.slice(1).map((at, index) => at - (times[index] ?? at))
  const mean = pauses.reduce((sum, pause) => sum + pause, 0) / pauses.length
  const [least] = rangeOf(pauses)
  if (least <= 1) return ""
  const isEven = pauses.every((pause) => Math.abs(pause - mean) <= Math.max(TOLERANCE_SECONDS, TOLERANCE_SHARE * mean))
  return isEven ? `, one each ${span(mean)}` : `, at least ${span(least)} apart`
}
