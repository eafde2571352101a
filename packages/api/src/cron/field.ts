import * as Result from "effect/Result"
import { goQuote } from "../validation/goFormat.ts"

/** What one field of a schedule may be. */
export interface Bounds {
  readonly min: number
  readonly max: number
  readonly names?: Readonly<Record<string, number>>
}

/** What one field of a schedule matches. */
export interface Field {
  readonly values: ReadonlySet<number>
  /** True if the field is `*` or `?`, alone or in a list: then it does not widen the other field for days. */
  readonly isStar: boolean
}

type Parsed<A> = Result.Result<A, string>

const MAX_INT = 2n ** 63n - 1n

/** Parses as Go's strconv.Atoi does, without negative numbers. */
const parseNumber = (text: string): Parsed<bigint> => {
  const failed = (why: string) =>
    Result.fail(`failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: ${why}`)
  if (!/^[+-]?[0-9]+$/.test(text)) return failed("invalid syntax")
  const number = BigInt(text.replace(/^\+/, ""))
  if (number > MAX_INT || number < -MAX_INT - 1n) return failed("value out of range")
  return number < 0n ? Result.fail(`negative number (${number}) not allowed: ${text}`) : Result.succeed(number)
}

const parseNumberOrName = (text: string, { names }: Bounds): Parsed<bigint> => {
  const named = names?.[text.toLowerCase()]
  return named === undefined ? parseNumber(text) : Result.succeed(BigInt(named))
}

interface Ends {
  readonly start: bigint
  readonly end: bigint
  readonly isStar: boolean
  readonly isSingle: boolean
}

const parseEnds = (text: string, expression: string, bounds: Bounds): Parsed<Ends> => {
  const [low = "", high, ...others] = text.split("-")
  const isSingle = high === undefined
  if (low === "*" || low === "?") {
    return Result.succeed({ start: BigInt(bounds.min), end: BigInt(bounds.max), isStar: true, isSingle })
  }
  const start = parseNumberOrName(low, bounds)
  if (Result.isFailure(start)) return Result.fail(start.failure)
  if (others.length > 0) return Result.fail(`too many hyphens: ${expression}`)
  const end = isSingle ? start : parseNumberOrName(high, bounds)
  return Result.map(end, (last) => ({ start: start.success, end: last, isStar: false, isSingle }))
}

const parseStep = (steps: ReadonlyArray<string>, expression: string): Parsed<bigint> => {
  if (steps.length === 0) return Result.succeed(1n)
  return steps.length > 1 ? Result.fail(`too many slashes: ${expression}`) : parseNumber(steps[0] ?? "")
}

const problemOf = (start: bigint, end: bigint, step: bigint, { max, min }: Bounds): string | undefined => {
  if (start < min) return `beginning of range (${start}) below minimum (${min})`
  if (end > max) return `end of range (${end}) above maximum (${max})`
  if (start > end) return `beginning of range (${start}) beyond end of range (${end})`
  return step === 0n ? "step of range should be a positive number" : undefined
}

/** Parses `number`, `number-number` or `*`, each with `/step`. */
const parseRange = (expression: string, bounds: Bounds): Parsed<Field> => {
  const [ends = "", ...steps] = expression.split("/")
  const range = parseEnds(ends, expression, bounds)
  if (Result.isFailure(range)) return Result.fail(range.failure)
  const step = parseStep(steps, expression)
  if (Result.isFailure(step)) return Result.fail(step.failure)
  const { isSingle, isStar, start } = range.success
  // `5/20` begins at 5 and goes on to the last value.
  const end = isSingle && steps.length > 0 ? BigInt(bounds.max) : range.success.end
  const problem = problemOf(start, end, step.success, bounds)
  if (problem !== undefined) return Result.fail(`${problem}: ${expression}`)
  const values = new Set<number>()
  for (let value = start; value <= end; value += step.success) values.add(Number(value))
  return Result.succeed({ values, isStar: isStar && step.success === 1n })
}

/** Parses a field of a schedule: ranges, separated by commas. Fails with upstream's text. */
export const parseField = (text: string, bounds: Bounds): Parsed<Field> => {
  const values = new Set<number>()
  let isStar = false
  for (const expression of text.split(",")) {
    if (expression === "") continue
    const range = parseRange(expression, bounds)
    if (Result.isFailure(range)) return range
    for (const value of range.success.values) values.add(value)
    isStar ||= range.success.isStar
  }
  return Result.succeed({ values, isStar })
}
