import * as Result from "effect/Result"
import { type JsonPath, JsonPathError, type Path, type PathStep } from "./JsonPath.ts"

export interface FindOptions {
  /** A missing field yields no value instead of an error. */
  readonly allowMissingKeys?: boolean
  /**
   * The maximum number of values to visit; more are an error. Paths multiply: `[0,0][0,0]` and `..a..a` visit values
   * repeatedly.
   */
  readonly most?: number
}

/** The state of one search, with the number of values it may still visit. */
interface Search {
  readonly allowMissingKeys: boolean
  left: number
}

class TooMany extends Error {}

const spend = (search: Search, values: number): void => {
  search.left -= values
  if (search.left < 0) throw new TooMany()
}

type Values = ReadonlyArray<unknown>
type Found = Result.Result<Values, JsonPathError>

const fail = (message: string): Result.Result<never, JsonPathError> => Result.fail(new JsonPathError({ message }))
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const isNil = (value: unknown): boolean => value === undefined || value === null

const goType = (value: unknown): string => {
  if (isObject(value)) return "map[string]interface {}"
  if (typeof value === "string") return "string"
  if (typeof value === "boolean") return "bool"
  return Number.isInteger(value) ? "int64" : "float64"
}

const children = (value: unknown): Values => {
  if (Array.isArray(value)) return value
  return isObject(value) ? Object.values(value) : []
}

const descend = (values: Values, search: Search, into: Array<unknown> = []): Values => {
  for (const value of values) {
    const below = children(value)
    spend(search, 1 + below.length)
    if (below.length === 0) continue
    into.push(value)
    descend(below, search, into)
  }
  return into
}

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
  const every = step.step ?? 1
  if (every <= 0) return fail("step must be > 0")
  if (from !== to) {
    if (from >= length || from < 0) return outOfBounds(from)
    if (to > length || to < 0) return outOfBounds(to - 1)
  }
  if (from > to) return fail(`starting index ${from} is greater than ending index ${to}`)
  return Result.succeed(value.slice(from, to).filter((_, index) => index % every === 0))
}

const compare = (left: unknown, operator: string, right: unknown): Result.Result<boolean, JsonPathError> => {
  if (operator === "==" || operator === "!=") {
    if (typeof left !== typeof right) return fail("incompatible types for comparison")
    return Result.succeed((left === right) === (operator === "=="))
  }
  const numbers = typeof left === "number" && typeof right === "number"
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

const one = (found: Found): Result.Result<unknown, JsonPathError> => {
  if (Result.isFailure(found)) return found
  return found.success.length === 1 ? Result.succeed(found.success[0]) : fail("can only compare one element at a time")
}

/** Whether an element matches the filter. An element without the compared field does not. */
const passes = (
  element: unknown,
  { left, operator, right: path }: PathStep & { readonly type: "filter" },
  search: Search
): Result.Result<boolean, JsonPathError> => {
  const lefts = walkPath([element], left, search)
  if (operator === "exists") return Result.succeed(Result.isSuccess(lefts) && lefts.success.length > 0)
  if (Result.isSuccess(lefts) && lefts.success.length === 0) return Result.succeed(false)
  const leftValue = one(lefts)
  if (Result.isFailure(leftValue)) return Result.fail(leftValue.failure)
  const rightValue = one(walkPath([element], path, search))
  return Result.flatMap(rightValue, (right) => compare(leftValue.success, operator, right))
}

/** Concatenates the results of a step on each value that is not null. */
const gather = (values: Values, each: (value: unknown) => Found): Found => {
  const all: Array<unknown> = []
  for (const value of values) {
    const found = each(value)
    if (Result.isFailure(found)) return found
    for (const one of found.success) all.push(one)
  }
  return Result.succeed(all)
}

const filterOf = (values: Values, step: PathStep & { readonly type: "filter" }, search: Search): Found =>
  gather(values, (value) => {
    if (!Array.isArray(value)) return fail(`${goType(value)} is not array or slice and cannot be filtered`)
    return gather(value, (element) => Result.map(passes(element, step, search), (passed) => (passed ? [element] : [])))
  })

const walkStep = (values: Values, step: PathStep, search: Search): Found => {
  const present = values.filter((value) => !isNil(value))
  switch (step.type) {
    case "literal":
      return Result.succeed([step.value])
    case "field":
      return fieldOf(values, step.name, search)
    case "wildcard":
      for (const value of present) spend(search, children(value).length)
      return Result.succeed(present.flatMap(children))
    case "recursive":
      return Result.succeed(descend(present, search))
    case "index":
    case "slice":
      return gather(present, (value) => {
        if (!Array.isArray(value)) return fail(`${goType(value)} is not array or slice`)
        if (step.type === "slice") spend(search, value.length)
        return sliceOf(value, step)
      })
    case "union":
      return gather(step.paths, (path) => walkPath(values, path as Path, search))
    case "filter":
      return filterOf(present, step, search)
  }
}

const walkPath = (values: Values, path: Path, search: Search): Found => {
  let current: Values = values
  for (const step of path) {
    spend(search, 1 + current.length)
    const next = walkStep(current, step, search)
    if (Result.isFailure(next)) return next
    current = next.success
    spend(search, current.length)
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
  { allowMissingKeys = false, most = Number.POSITIVE_INFINITY }: FindOptions = {}
): Result.Result<ReadonlyArray<Values>, JsonPathError> => {
  try {
    return find(template, data, { allowMissingKeys, left: most })
  } catch (error) {
    if (error instanceof TooMany) return fail(`the path names more than ${most} values`)
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
    const found = walkPath([data], part.path, search)
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
