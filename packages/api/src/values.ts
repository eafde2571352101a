import { isRawJson } from "./exactJson.ts"
import type { KubeObject } from "./objects/Meta.ts"
import { sortedEntries } from "./sortedEntries.ts"

export { memberOf } from "./memberOf.ts"

/** The fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>

/** Whether the value is a JSON object. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns the name that Go's `%T` prints for a decoded JSON value. */
export const goTypeOf = (value: unknown): string => {
  if (value === null || value === undefined) return "<nil>"
  if (Array.isArray(value)) return "[]interface {}"
  if (isFields(value)) return "map[string]interface {}"
  if (typeof value === "bigint") return "int64"
  if (typeof value === "number") return Number.isSafeInteger(value) ? "int64" : "float64"
  return typeof value === "boolean" ? "bool" : "string"
}

/** Whether two JSON values are equal. Parts shared by reference cost nothing to compare. */
export const sameValue = (left: unknown, right: unknown): boolean => {
  if (left === right) return true
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false
    for (let index = 0; index < left.length; index++) if (!sameValue(left[index], right[index])) return false
    return true
  }
  if (Array.isArray(right)) return false
  return sameEntries(left as Fields, right as Fields)
}

/** Each write compares an object with the stored one: `for … in` needs no lists of their keys. */
const sameEntries = (left: Fields, right: Fields): boolean => {
  let count = 0
  for (const key in left) {
    const value = right[key]
    if (value === undefined && !Object.hasOwn(right, key)) return false
    if (left[key] !== value && !sameValue(left[key], value)) return false
    count++
  }
  for (const _ in right) count--
  return count === 0
}

/** The parts that most kinds have, for code that is independent of the kind. */
interface Parts extends KubeObject {
  readonly spec?: unknown
  readonly status?: unknown
}

export const specOf = (object: KubeObject): unknown => (object as Parts).spec
export const statusOf = (object: KubeObject): unknown => (object as Parts).status

/** Returns the object with that status, or without one if it is undefined; the same reference if nothing changes. */
export const withStatus = (object: KubeObject, status: unknown): KubeObject => {
  if (statusOf(object) === status) return object
  if (status !== undefined) return { ...object, status } as Parts
  const { status: _, ...rest } = object as Parts
  return rest
}

/** Returns the next generation. One that no number holds exactly is a bigint, and wraps as Go's does. */
export const generationAfter = (generation: number | bigint = 0): number =>
  (typeof generation === "bigint" ? BigInt.asIntN(64, generation + 1n) : generation + 1) as number

/** The paths of a custom resource's scale subresource as steps: `.spec.replicas` is `["spec", "replicas"]`. */
export interface ScalePaths {
  readonly specReplicas: ReadonlyArray<string>
  readonly statusReplicas: ReadonlyArray<string>
  readonly labelSelector: ReadonlyArray<string> | undefined
}

/** Splits a path without array notation into steps: `.spec.replicas` into `["spec", "replicas"]`. */
export const stepsOf = (path: string): ReadonlyArray<string> => path.replace(/^\./, "").split(".")

/** Returns the value at that path, or undefined if there is none. */
export const valueAt = (value: unknown, steps: ReadonlyArray<string>): unknown => {
  let found = value
  for (const step of steps) found = isFields(found) && Object.hasOwn(found, step) ? found[step] : undefined
  return found
}

/** Returns a value with the keys of all of its maps sorted, as Go writes them. */
export const withSortedKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withSortedKeys)
  if (!isFields(value) || isRawJson(value)) return value
  return Object.fromEntries(sortedEntries(value).map(([key, item]) => [key, withSortedKeys(item)]))
}
