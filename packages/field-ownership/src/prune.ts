import { isSteps, type Steps } from "@rollcall/time"
import { entrySchema, extractInSteps } from "./extract.ts"
import { difference, type FieldSet, type FreshSet, intersection, isEmpty, union, unionAll } from "./fieldSet.ts"
import type { Owners } from "./Managers.ts"
import type { PathElement } from "./pathElement.ts"
import { removeItems } from "./removeItems.ts"
import type { Schema, StructSchema } from "./schema.ts"

/**
 * Removes from a merged object the fields that its applier applied last time (`last`) and omits now, if no other manager
 * owns them. `owners` already contain the applier with its new fields. Upstream:
 * sigs.k8s.io/structured-merge-diff, merge/update.go, prune.
 */
export const pruneInSteps = function* (
  merged: unknown,
  owners: Owners,
  last: FieldSet,
  schema: StructSchema
): Steps<unknown> {
  const lastNamed = withNamedMembers(last, schema)
  const all = extractInSteps(merged, schema)
  const isLong = isSteps(all)
  if (isLong) yield
  const mergedSet = withNamedMembers(isLong ? yield* all : all, schema)
  if (isLong) yield
  const owned = unionAll([...owners.values()].map(({ fields }) => fields))
  if (isLong) yield
  const rest = removeItems(merged, lastNamed, schema)
  if (isLong) yield
  const left = extractInSteps(rest, schema)
  const leftSet = withNamedMembers(isSteps(left) ? yield* left : left, schema)
  if (isLong) yield
  const ownedSet = withNamedMembers(owned, schema)
  if (isLong) yield
  const kept = union(leftSet, ownedSet)
  if (isLong) yield
  const unkept = difference(mergedSet, kept)
  if (isLong) yield
  const pruned = removeItems(merged, unkept, schema)
  if (isLong) yield
  const after = extractInSteps(pruned, schema)
  const afterSet = withNamedMembers(isSteps(after) ? yield* after : after, schema)
  if (isLong) yield
  // Only fields that the applier owned may be removed.
  const removed = intersection(difference(mergedSet, afterSet), lastNamed)
  if (isLong) yield
  return removeItems(merged, removed, schema)
}

/**
 * Returns the set and, of every path in it, the struct fields on the way to it: a set does not contain a struct itself
 * when its fields are owned. With `mark` the path of the node `set` itself is included.
 */
export const withNamedMembers = (set: FieldSet, schema: Schema, mark = false): FieldSet => {
  const result: FreshSet = {}
  let marked = !mark
  for (const element in set) {
    if (element === ".") continue
    if (!marked) result["."] = {}
    marked = true
    const below = set[element] as FreshSet
    const entry = isEmpty(below) ? undefined : schemaBelow(schema, element)
    result[element] =
      entry === undefined
        ? below
        : (withNamedMembers(below, entry.schema, below["."] !== undefined || entry.named) as FreshSet)
  }
  return result
}

const schemaBelow = (schema: Schema, element: PathElement): ReturnType<typeof entrySchema> => {
  if (schema.form === "leaf") return undefined
  if (schema.form === "list") return { schema: schema.items, named: false }
  return element.startsWith("f:") ? entrySchema(schema, element.slice(2)) : undefined
}
