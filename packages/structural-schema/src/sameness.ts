import { canonicalJson } from "@rollcall/api"
import { isFields } from "@rollcall/api/values"
import type { JsonSchema } from "./JsonSchema.ts"

/** Returns the JSON of a value with sorted keys, so that equal values have equal texts. */
export const canonicalText = (value: unknown): string =>
  typeof value === "object" && value !== null ? canonicalJson(value) : scalarText(value)

const scalarText = (value: unknown): string => (typeof value === "string" ? JSON.stringify(value) : String(value))

const NONE = () => undefined

/**
 * Returns a function from an item to its previous state, which it finds by the item's keys in an index of the old list.
 * Items of lists that are not maps have no previous state.
 */
export const previousItems = (schema: JsonSchema, old: unknown): ((item: unknown) => unknown) => {
  if (schema["x-kubernetes-list-type"] !== "map" || !Array.isArray(old)) return NONE
  const keys = schema["x-kubernetes-list-map-keys"] ?? []
  const keyOf = (item: unknown): string | undefined =>
    isFields(item) ? JSON.stringify(keys.map((key) => canonicalText(item[key]))) : undefined
  const known = new Map<string, unknown>()
  for (const item of old) {
    const key = keyOf(item)
    if (key !== undefined && !known.has(key)) known.set(key, item)
  }
  return (item) => {
    const key = keyOf(item)
    return key === undefined ? undefined : known.get(key)
  }
}

/**
 * Whether values are unchanged by an update. Results are cached, since a validation compares an object and then each of
 * its parts: otherwise the cost would be the size times the depth.
 */
export class Sameness {
  private readonly results = new Map<object, { readonly old: unknown; readonly same: boolean }>()

  /** Whether a value equals its previous state. */
  isSame(value: unknown, old: unknown): boolean {
    if (value === old) return true
    if (typeof value !== "object" || typeof old !== "object" || value === null || old === null) return false
    const known = this.results.get(value)
    if (known !== undefined && known.old === old) return known.same
    const same = this.compare(value, old)
    this.results.set(value, { old, same })
    return same
  }

  private compare(value: object, old: object): boolean {
    if (Array.isArray(value)) {
      return Array.isArray(old) && value.length === old.length && value.every((item, at) => this.isSame(item, old[at]))
    }
    if (!isFields(value) || !isFields(old)) return false
    const names = Object.keys(value)
    if (names.length !== Object.keys(old).length) return false
    return names.every((name) => Object.hasOwn(old, name) && this.isSame(value[name], old[name]))
  }
}
