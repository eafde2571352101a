import * as Result from "effect/Result"
import { quoted } from "./quoted.ts"

const atoi = (text: string): Result.Result<number, string> =>
  /^[-+]?\d+$/.test(text)
    ? Result.succeed(Number(text))
    : Result.fail(`strconv.Atoi: parsing ${quoted(text)}: invalid syntax`)

/** How many CPUs a list such as `0-3,8` names. Fails with upstream's message. Upstream: k8s.io/utils/cpuset, Parse. */
export const countCPUs = (list: string): Result.Result<number, string> => {
  const ranges: Array<readonly [number, number]> = []
  for (const part of list === "" ? [] : list.split(",")) {
    const dash = part.indexOf("-")
    const start = atoi(dash < 0 ? part : part.slice(0, dash))
    if (Result.isFailure(start)) return Result.fail(start.failure)
    const end = dash < 0 ? start : atoi(part.slice(dash + 1))
    if (Result.isFailure(end)) return Result.fail(end.failure)
    if (start.success > end.success) {
      return Result.fail(`invalid range ${quoted(part)} (${start.success} > ${end.success})`)
    }
    ranges.push([start.success, end.success])
  }
  return Result.succeed(sizeOf(ranges))
}

/** Of the union: a CPU that is named twice counts once. */
const sizeOf = (ranges: ReadonlyArray<readonly [number, number]>): number => {
  let size = 0
  let covered = Number.NEGATIVE_INFINITY
  for (const [start, end] of [...ranges].sort(([left], [right]) => left - right)) {
    size += Math.max(0, end - Math.max(start, covered + 1) + 1)
    covered = Math.max(covered, end)
  }
  return size
}
