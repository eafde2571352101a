import * as Result from "effect/Result"
import { type JsonPath, JsonPathError, type Path, type PathStep } from "./JsonPath.ts"

export interface FindOptions {
  /** A field that is not there gives no value instead of an error. */
  readonly allowMissingKeys?: boolean
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

const descend = (values: Values): Values =>
  values.flatMap((value) => {
    const below = children(value)
    return below.length === 0 ? [] : [value, ...descend(below)]
  })

const fieldOf = (values: Values, name: string, options: FindOptions): Found => {
  if (values.length === 0) return Result.succeed([])
  const found = values.flatMap((value) => (isObject(value) && Object.hasOwn(value, name) ? [value[name]] : []))
  return found.length === 0 && options.allowMissingKeys !== true ? fail(`${name} is not found`) : Result.succeed(found)
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

/** Whether an element passes. What lacks the field that is compared does not. */
const passes = (
  element: unknown,
  { left, operator, right: path }: PathStep & { readonly type: "filter" },
  options: FindOptions
): Result.Result<boolean, JsonPathError> => {
  const lefts = walkPath([element], left, options)
  if (operator === "exists") return Result.succeed(Result.isSuccess(lefts) && lefts.success.length > 0)
  if (Result.isSuccess(lefts) && lefts.success.length === 0) return Result.succeed(false)
  const leftValue = one(lefts)
  if (Result.isFailure(leftValue)) return Result.fail(leftValue.failure)
  const rightValue = one(walkPath([element], path, options))
  return Result.flatMap(rightValue, (right) => compare(leftValue.success, operator, right))
}

/** The results of a step on each value that is not null, one after another. */
const gather = (values: Values, each: (value: unknown) => Found): Found => {
  const all: Array<unknown> = []
  for (const value of values) {
    const found = each(value)
    if (Result.isFailure(found)) return found
    all.push(...found.success)
  }
  return Result.succeed(all)
}

const filterOf = (values: Values, step: PathStep & { readonly type: "filter" }, options: FindOptions): Found =>
  gather(values, (value) => {
    if (!Array.isArray(value)) return fail(`${goType(value)} is not array or slice and cannot be filtered`)
    return gather(value, (element) => Result.map(passes(element, step, options), (passed) => (passed ? [element] : [])))
  })

const walkStep = (values: Values, step: PathStep, options: FindOptions): Found => {
  const present = values.filter((value) => !isNil(value))
  switch (step.type) {
    case "literal":
      return Result.succeed([step.value])
    case "field":
      return fieldOf(values, step.name, options)
    case "wildcard":
      return Result.succeed(present.flatMap(children))
    case "recursive":
      return Result.succeed(descend(present))
    case "index":
    case "slice":
      return gather(present, (value) =>
        Array.isArray(value) ? sliceOf(value, step) : fail(`${goType(value)} is not array or slice`)
      )
    case "union":
      return gather(step.paths, (path) => walkPath(values, path as Path, options))
    case "filter":
      return filterOf(present, step, options)
  }
}

const walkPath = (values: Values, path: Path, options: FindOptions): Found => {
  let current: Values = values
  for (const step of path) {
    const next = walkStep(current, step, options)
    if (Result.isFailure(next)) return next
    current = next.success
  }
  return Result.succeed(current)
}

/**
 * The values that a template names in an object, one list for each of its parts in the order in which they would be printed.
 * Upstream: client-go/util/jsonpath, FindResults.
 */
export const findJsonPath = (
  template: JsonPath,
  data: unknown,
  options: FindOptions = {}
): Result.Result<ReadonlyArray<Values>, JsonPathError> => {
  const lists: Array<Values> = []
  for (const part of template) {
    const found = walkPath([data], part.path, options)
    if (Result.isFailure(found)) return Result.fail(found.failure)
    if (part.type === "path") lists.push(found.success)
    else {
      for (const value of found.success) {
        const inner = findJsonPath(part.body, value, options)
        if (Result.isFailure(inner)) return inner
        lists.push(...inner.success)
      }
    }
  }
  return Result.succeed(lists)
}
