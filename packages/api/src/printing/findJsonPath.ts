import * as Result from "effect/Result"
import { goTypeOf } from "../values.ts"
import { type JsonPath, JsonPathError, type Path, type PathStep } from "./JsonPath.ts"

export interface FindOptions {
  /** A missing field yields no value instead of an error. */
  readonly allowMissingKeys?: boolean
  /**
   * The maximum number of values to visit; unlimited by default. More are an error. A short path can visit many values,
   * because `[0,0][0,0]` and `..a..a` visit the same ones repeatedly.
   */
  readonly maxValues?: number
}

/** The state of one search, with the number of values it may still visit. */
interface Search {
  readonly allowMissingKeys: boolean
  remaining: number
}

class TooManyValues extends Error {}

const count = (search: Search, values: number): void => {
  search.remaining -= values
  if (search.remaining < 0) throw new TooManyValues()
}

type Values = ReadonlyArray<unknown>
type Found = Result.Result<Values, JsonPathError>

const fail = (message: string): Result.Result<never, JsonPathError> => Result.fail(new JsonPathError({ message }))
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const isNil = (value: unknown): boolean => value === undefined || value === null

const isNumber = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint"

const children = (value: unknown): Values => {
  if (Array.isArray(value)) return value
  return isObject(value) ? Object.values(value) : []
}

const descendants = (values: Values, search: Search, into: Array<unknown> = []): Values => {
  for (const value of values) {
    const below = children(value)
    count(search, 1 + below.length)
    if (below.length === 0) continue
    into.push(value)
    descendants(below, search, into)
  }
  return into
}

/** Selects a field of each value that has it. */
const fieldOf = (values: Values, name: string, search: Search): Found => {
  if (values.length === 0) return Result.succeed([])
  const found = values.flatMap((value) => (isObject(value) && Object.hasOwn(value, name) ? [value[name]] : []))
  return found.length === 0 && !search.allowMissingKeys ? fail(`${name} is not found`) : Result.succeed(found)
}

const sliceOf = (value: ReadonlyArray<unknown>, step: PathStep & { readonly type: "index" | "slice" }): Found => {
  const { length } = value
  const wrap = (index: number): number => (index < 0 ? index + length : index)
  const outOfBounds = (index: number) => fail(`array index out of bounds: index ${index}, length ${length}`)
  if (step.type === "index") {
    const index = wrap(step.index)
    return index >= 0 && index < length ? Result.succeed([value[index]]) : outOfBounds(index)
  }
  const from = wrap(step.from ?? 0)
  const to = wrap(step.to ?? length)
  const stride = step.step ?? 1
  if (stride <= 0) return fail("step must be > 0")
  if (from !== to) {
    if (from >= length || from < 0) return outOfBounds(from)
    if (to > length || to < 0) return outOfBounds(to - 1)
  }
  if (from > to) return fail(`starting index ${from} is greater than ending index ${to}`)
  return Result.succeed(value.slice(from, to).filter((_, index) => index % stride === 0))
}

const compare = (left: unknown, operator: string, right: unknown): Result.Result<boolean, JsonPathError> => {
  if (operator === "==" || operator === "!=") {
    if (typeof left !== typeof right && !(isNumber(left) && isNumber(right)))
      return fail("incompatible types for comparison")
    return Result.succeed((left === right) === (operator === "=="))
  }
  const numbers = isNumber(left) && isNumber(right)
  const texts = typeof left === "string" && typeof right === "string"
  if (!numbers && !texts) {
    return fail(typeof left === typeof right ? "invalid type for comparison" : "incompatible types for comparison")
  }
  switch (operator) {
    case "<":
      return Result.succeed(left < right)
    case "<=":
      return Result.succeed(left <= right)
    case ">":
      return Result.succeed(left > right)
    case ">=":
      return Result.succeed(left >= right)
    default:
      return fail(`unrecognized filter operator ${operator}`)
  }
}

const singleValue = (found: Found): Result.Result<unknown, JsonPathError> => {
  if (Result.isFailure(found)) return found
  return found.success.length === 1 ? Result.succeed(found.success[0]) : fail("can only compare one element at a time")
}

/** Whether an element matches the filter. An element without the compared field does not. */
const matchesFilter = (
  element: unknown,
  { left, operator, right }: PathStep & { readonly type: "filter" },
  search: Search
): Result.Result<boolean, JsonPathError> => {
  const lefts = followPath([element], left, search)
  if (operator === "exists") return Result.succeed(Result.isSuccess(lefts) && lefts.success.length > 0)
  if (Result.isSuccess(lefts) && lefts.success.length === 0) return Result.succeed(false)
  const leftValue = singleValue(lefts)
  if (Result.isFailure(leftValue)) return Result.fail(leftValue.failure)
  const rightValue = singleValue(followPath([element], right, search))
  return Result.flatMap(rightValue, (value) => compare(leftValue.success, operator, value))
}

/** Concatenates the results of a step on each value that is not null. */
const concatenate = (values: Values, each: (value: unknown) => Found): Found => {
  const all: Array<unknown> = []
  for (const value of values) {
    const found = each(value)
    if (Result.isFailure(found)) return found
    for (const singleValue of found.success) all.push(singleValue)
  }
  return Result.succeed(all)
}

const filterOf = (values: Values, step: PathStep & { readonly type: "filter" }, search: Search): Found =>
  concatenate(values, (value) => {
    if (!Array.isArray(value)) return fail(`${goTypeOf(value)} is not array or slice and cannot be filtered`)
    return concatenate(value, (element) =>
      Result.map(matchesFilter(element, step, search), (passed) => (passed ? [element] : []))
    )
  })

const applyStep = (values: Values, step: PathStep, search: Search): Found => {
  const present = values.filter((value) => !isNil(value))
  switch (step.type) {
    case "literal":
      return Result.succeed([step.value])
    case "field":
      return fieldOf(values, step.name, search)
    case "wildcard":
      for (const value of present) count(search, children(value).length)
      return Result.succeed(present.flatMap(children))
    case "recursive":
      return Result.succeed(descendants(present, search))
    case "index":
    case "slice":
      return concatenate(present, (value) => {
        if (!Array.isArray(value)) return fail(`${goTypeOf(value)} is not array or slice`)
        if (step.type === "slice") count(search, value.length)
        return sliceOf(value, step)
      })
    case "union":
      return concatenate(step.paths, (path) => followPath(values, path as Path, search))
    case "filter":
      return filterOf(present, step, search)
  }
}

const followPath = (values: Values, path: Path, search: Search): Found => {
  let current: Values = values
  for (const step of path) {
    count(search, 1 + current.length)
    const next = applyStep(current, step, search)
    if (Result.isFailure(next)) return next
    current = next.success
    count(search, current.length)
  }
  return Result.succeed(current)
}

/**
 * Returns the values that a template selects in an object, one list for each of its parts in print order. Upstream:
 * client-go/util/jsonpath, FindResults.
 */
export const findJsonPath = (
  template: JsonPath,
  data: unknown,
  { allowMissingKeys = false, maxValues = Number.POSITIVE_INFINITY }: FindOptions = {}
): Result.Result<ReadonlyArray<Values>, JsonPathError> => {
  try {
    return find(template, data, { allowMissingKeys, remaining: maxValues })
  } catch (error) {
    if (error instanceof TooManyValues) return fail(`the path names more than ${maxValues} values`)
    throw error
  }
}

const find = (
  template: JsonPath,
  data: unknown,
  search: Search
): Result.Result<ReadonlyArray<Values>, JsonPathError> => {
  const lists: Array<Values> = []
  for (const part of template) {
    const found = followPath([data], part.path, search)
    if (Result.isFailure(found)) return Result.fail(found.failure)
    if (part.type === "path") lists.push(found.success)
    else {
      for (const value of found.success) {
        const inner = find(part.body, value, search)
        if (Result.isFailure(inner)) return inner
        for (const list of inner.success) lists.push(list)
      }
    }
  }
  return Result.succeed(lists)
}
