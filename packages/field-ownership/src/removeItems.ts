import { isFields } from "@rollcall/api/values"
import { entrySchema } from "./extract.ts"
import { type FieldSet, isEmpty, isMember } from "./fieldSet.ts"
import { ElementError, elementOf, type Schema } from "./schema.ts"

/**
 * Returns an object without the values at the paths of a set, or undefined if nothing is left. Leaves above such a path
 * stay whole. A list or map stays, empty, if something was removed within its members, and nothing of its own. Upstream:
 * sigs.k8s.io/structured-merge-diff, typed/remove.go.
 */
export const removeItems = (value: unknown, set: FieldSet, schema: Schema): unknown => {
  if (isEmpty(set)) return value
  switch (schema.form) {
    case "leaf":
      return value
    case "list": {
      if (!Array.isArray(value)) return undefined
      const kept = value.flatMap((item: unknown) => {
        const element = elementOf(schema, item)
        const below = element instanceof ElementError ? undefined : set[element]
        if (below === undefined) return [item]
        return isMember(below) ? [] : [removeWithin(item, below, schema.items)]
      })
      return kept.length === 0 ? undefined : kept
    }
    default: {
      if (!isFields(value)) return undefined
      const kept: Record<string, unknown> = {}
      for (const name of Object.keys(value)) {
        const below = set[`f:${name}`]
        const entry = entrySchema(schema, name)
        if (below === undefined || entry === undefined) kept[name] = value[name]
        else if (!isMember(below)) kept[name] = removeWithin(value[name], below, entry.schema)
      }
      return Object.keys(kept).length === 0 ? undefined : kept
    }
  }
}

/** Removes items within a member: a list or map of which nothing is left stays, empty. */
const removeWithin = (member: unknown, set: FieldSet, schema: Schema): unknown => {
  const rest = removeItems(member, set, schema)
  if (rest !== undefined) return rest
  if (Array.isArray(member)) return []
  return isFields(member) ? {} : null
}
