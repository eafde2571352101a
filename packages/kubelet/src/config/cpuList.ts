import * as Result from "effect/Result"
import { goQuote } from "./goQuote.ts"

/** Parses an integer as Go's strconv.Atoi does, with its error message. */
const atoi = (text: string): Result.Result<number, string> =>
  /^[-+]?\d+$/.test(text)
    ? Result.succeed(Number(text))
    : Result.fail(`strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`)

/**
 * Returns the number of CPUs in a list such as `0-3,8`. Fails with upstream's message. Upstream: k8s.io/utils/cpuset,
 * Parse.
 */
export const countCPUs = (list: string): Result.Result<number, string> => {
  const ranges: Array<readonly [number, number]> = []
  for (const part of list === "" ? [] : list.split(",")) {
    const dash = part.indexOf("-")
    const start = atoi(dash < 0 ? part : part.slice(0, dash))
    if (Result.isFailure(start)) return Result.fail(start.failure)
    const end = dash < 0 ? start : atoi(part.slice(dash + 1))
    if (Result.isFailure(end)) return Result.fail(end.failure)
    if (start.success > end.success) {
      return Result.fail(`invalid range ${goQuote(part)} (${start.success} > ${end.success})`)
    }
    ranges.push([start.success, end.success])
  }
  return Result.succeed(unionSize(ranges))
}

/**
 * Returns the number of CPUs in the union of ranges, whose bounds are inclusive: a CPU that is listed twice counts
 * once.
 */
const unionSize = (ranges: ReadonlyArray<readonly [number, number]>): number => {
  let size = 0
  let covered = Number.NEGATIVE_INFINITY
  for (const [start, end] of [...ranges].sort(([left], [right]) => left - right)) {
    size += Math.max(0, end - Math.max(start, covered + 1) + 1)
    covered = Math.max(covered, end)
  }
  return size
}
