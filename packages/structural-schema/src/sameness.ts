import { canonicalJson } from "@rollcall/api"
import { isFields } from "@rollcall/api/values"
import { type JsonSchema, valuesOf } from "./JsonSchema.ts"

/** Returns the JSON of a value with sorted keys, so that equal values have equal texts. */
export const canonicalText = (value: unknown): string =>
  typeof value === "object" && value !== null ? canonicalJson(value) : scalarText(value)

const scalarText = (value: unknown): string => (typeof value === "string" ? JSON.stringify(value) : String(value))

const NONE = () => undefined

/** Returns a key's value as a text; undefined for what identifies no item. */
const keyText = (value: unknown): string | undefined =>
  value === undefined || typeof value === "object" ? undefined : scalarText(value)

/**
 * Returns a function from an item to its previous state, which it finds by the item's keys in an index of the old list.
 * Items of lists that are not maps have no previous state, and neither has an item without a scalar for each key.
 * Upstream: apiserver/pkg/cel/common/maplist.go.
 */
export const previousItems = (schema: JsonSchema, old: unknown): ((item: unknown) => unknown) => {
  if (schema["x-kubernetes-list-type"] !== "map" || !Array.isArray(old)) return NONE
  const keys = schema["x-kubernetes-list-map-keys"] ?? []
  const keyOf = (item: unknown): string | undefined => {
    if (!isFields(item)) return undefined
    const texts = keys.map((key) => keyText(item[key]))
    return texts.includes(undefined) ? undefined : JSON.stringify(texts)
  }
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

/** Returns the schema of a field of an object, or of a value of a map; undefined if the schema knows none. */
export const fieldSchema = (schema: JsonSchema, name: string): JsonSchema | undefined => {
  const { properties = {} } = schema
  return Object.hasOwn(properties, name) ? properties[name] : valuesOf(schema)
}

/**
 * Whether values are unchanged by an update, as far as their schema lets Kubernetes tell: a field that the schema does not
 * know counts as changed, and so does an item of a map that its keys do not find in the old list. Results are cached,
 * since a validation compares an object and then each of its parts: otherwise the cost would be the size times the depth.
 * Upstream: apiserver/pkg/cel/common/equality.go, CachedDeepEqual.
 */
export class Sameness {
  private readonly results = new Map<object, { readonly old: unknown; readonly same: boolean }>()

  /** Whether a value equals its previous state; without a schema, whether all of it does. */
  isSame(value: unknown, old: unknown, schema?: JsonSchema): boolean {
    if (value === old && schema === undefined) return true
    if (typeof value !== "object" || typeof old !== "object" || value === null || old === null) return value === old
    const known = this.results.get(value)
    if (known !== undefined && known.old === old) return known.same
    const same = this.compare(value, old, schema)
    this.results.set(value, { old, same })
    return same
  }

  private compare(value: object, old: object, schema: JsonSchema | undefined): boolean {
    if (Array.isArray(value)) {
      return Array.isArray(old) && value.length === old.length && this.haveSameItems(value, old, schema)
    }
    if (!isFields(value) || !isFields(old)) return false
    const names = Object.keys(value)
    if (names.length !== Object.keys(old).length) return false
    return names.every((name) => {
      const inner = schema && fieldSchema(schema, name)
      if (schema !== undefined && inner === undefined) return false
      return Object.hasOwn(old, name) && this.isSame(value[name], old[name], inner)
    })
  }

  private haveSameItems(
    list: ReadonlyArray<unknown>,
    old: ReadonlyArray<unknown>,
    schema: JsonSchema | undefined
  ): boolean {
    if (schema?.["x-kubernetes-list-type"] !== "map") return list.every((item, at) => this.isSame(item, old[at]))
    const before = previousItems(schema, old)
    return list.every((item) => {
      const previous = before(item)
      return previous !== undefined && this.isSame(item, previous, schema.items ?? {})
    })
  }
}
