import { findJsonPath, type JsonPath } from "@rollcall/api/printing"
import * as Result from "effect/Result"
import type { CommandError } from "../CommandError.ts"
import { readPath } from "./customColumns.ts"

const valueAt = (path: JsonPath, object: unknown): unknown => {
  const found = findJsonPath(path, object, { allowMissingKeys: true })
  return Result.isSuccess(found) ? found.success[0]?.[0] : undefined
}

const chunks = (text: string): ReadonlyArray<string> => text.match(/\d+|\D+/g) ?? []

/** Compares texts with the numbers in them as numbers: `n2` before `n10`. */
const compareTexts = (left: string, right: string): number => {
  const a = chunks(left)
  const b = chunks(right)
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const x = a[at] ?? ""
    const y = b[at] ?? ""
    if (x === y) continue
    const numbers = /^\d/.test(x) && /^\d/.test(y)
    if (numbers && Number(x) !== Number(y)) return Number(x) - Number(y)
    return x < y ? -1 : 1
  }
  return a.length - b.length
}

const compareValues = (left: unknown, right: unknown): number => {
  if (left === undefined || left === null) return right === undefined || right === null ? 0 : -1
  if (right === undefined || right === null) return 1
  if (typeof left === "number" && typeof right === "number") return left - right
  return compareTexts(String(left), String(right))
}

/** Sorts objects by the value at a path, stably; objects without it come first. Upstream: kubectl/pkg/cmd/get/sorter.go. */
export const sorterOf = (
  field: string
): Result.Result<<A>(items: ReadonlyArray<A>, objectOf: (item: A) => unknown) => ReadonlyArray<A>, CommandError> =>
  Result.map(
    readPath(field),
    (path) =>
      <A>(items: ReadonlyArray<A>, objectOf: (item: A) => unknown) =>
        items.toSorted((left, right) => compareValues(valueAt(path, objectOf(left)), valueAt(path, objectOf(right))))
  )
