import { sameValue } from "../pipeline/sameValue.ts"
import { isFields, type JsonSchema } from "./JsonSchema.ts"

/** What stood for the same item before; lists that are not maps have no such. */
export const itemBefore = (schema: JsonSchema, item: unknown, old: unknown): unknown => {
  const keys = schema["x-kubernetes-list-map-keys"] ?? []
  if (schema["x-kubernetes-list-type"] !== "map" || !Array.isArray(old) || !isFields(item)) return undefined
  return old.find((other) => isFields(other) && keys.every((key) => sameValue(other[key], item[key])))
}
