import { isFields } from "../../core/objects/values.ts"
import { canonicalText } from "./canonical.ts"
import type { JsonSchema } from "./JsonSchema.ts"

const NONE = () => undefined

/** Finds what stood for the same item before, in one look at the old list; lists that are not maps have no such. */
export const itemsBefore = (schema: JsonSchema, old: unknown): ((item: unknown) => unknown) => {
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
