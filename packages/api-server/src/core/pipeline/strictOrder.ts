import { sortedEntries } from "@rollcall/api"
import { isFields, withSortedKeys } from "@rollcall/api/values"
import type { PatchRequest } from "@rollcall/cluster"

/*
 * The order of the unknown fields of a patched object. Upstream: apimachinery/pkg/runtime/converter.go,
 * FromUnstructuredWithValidation; github.com/evanphx/json-patch, whose documents are maps, which Go writes sorted.
 */

/** The maps in a value, itself included. */
const mapsIn = (value: unknown, found: Set<unknown> = new Set()): ReadonlySet<unknown> => {
  if (isFields(value)) found.add(value)
  if (Array.isArray(value) || isFields(value)) for (const item of Object.values(value)) mapsIn(item, found)
  return found
}

/**
 * Returns a patched object as Go writes it before it is read again: with sorted keys, except in the values that a JSON
 * patch adds and does not change afterwards.
 */
export const sortedAsPatched = (patched: unknown, { body, patchType }: PatchRequest): unknown => {
  if (patchType !== "json") return withSortedKeys(patched)
  const added = mapsIn(body)
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted)
    if (!isFields(value) || added.has(value)) return value
    return Object.fromEntries(sortedEntries(value).map(([name, item]) => [name, sorted(item)]))
  }
  return sorted(patched)
}

/** Returns the errors in Go's order. `ofSorted` returns those of the object with sorted keys. */
export const inOrder = (
  errors: ReadonlyArray<string>,
  patchType: PatchRequest["patchType"],
  ofSorted: () => ReadonlyArray<string>
): ReadonlyArray<string> => {
  if (errors.length < 2) return errors
  return patchType === "strategic" ? [...errors].sort() : ofSorted()
}
