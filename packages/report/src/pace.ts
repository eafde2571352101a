import { span } from "@rollcall/text"
import { rangeOf } from "./rangeOf.ts"

/** By how much of their mean the pauses of one pace may differ, and by how many seconds whatever the mean is. */
const TOLERANCE = 0.05
const TOLERANCE_SECONDS = 0.5

/**
 * How events of the given times, in seconds and in order, follow each other: one each so many seconds if they do so evenly, else how
 * far they are apart at least. Nothing is said of events that come together, nor of fewer than three.
 */
export const pace = (times: ReadonlyArray<number>): string => {
  if (times.length < 3) return ""
  const pauses = times.slice(1).map((at, index) => at - (times[index] ?? at))
  const mean = pauses.reduce((sum, pause) => sum + pause, 0) / pauses.length
  const [least] = rangeOf(pauses)
  if (least <= 1) return ""
  const isEven = pauses.every((pause) => Math.abs(pause - mean) <= Math.max(TOLERANCE_SECONDS, TOLERANCE * mean))
  return isEven ? `, one each ${span(mean)}` : `, at least ${span(least)} apart`
}
