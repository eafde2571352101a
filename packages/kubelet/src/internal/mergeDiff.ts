import * as Predicate from "effect/Predicate"

type Fields = Readonly<Record<string, unknown>>

const same = (left: unknown, right: unknown): boolean => {
  if (left === right) return true
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => same(item, right[index]))
  }
  if (!Predicate.isReadonlyObject(left) || !Predicate.isReadonlyObject(right)) return false
  const keys = Object.keys(left)
  return keys.length === Object.keys(right).length && keys.every((key) => same(left[key], right[key]))
}

/** Returns the merge patch of one field from `old` to `now`, or undefined if they are equal. */
const fieldDiff = (old: unknown, now: unknown): unknown => {
  if (old === now) return undefined
  if (now === undefined) return null
  if (Predicate.isReadonlyObject(old) && Predicate.isReadonlyObject(now)) return mergeDiff(old, now)
  return same(old, now) ? undefined : now
}

/**
 * Returns the merge patch from `before` to `after`, of `fields` or of all fields, or undefined if they are equal. Lists
 * are replaced whole: the caller handles fields whose lists merge in a strategic patch.
 */
export const mergeDiff = (
  before: Fields,
  after: Fields,
  fields: ReadonlyArray<string> = allFields(before, after)
): Fields | undefined => {
  if (before === after) return undefined
  let out: Record<string, unknown> | undefined
  for (const field of fields) {
    const difference = fieldDiff(before[field], after[field])
    if (difference === undefined) continue
    out ??= {}
    out[field] = difference
  }
  return out
}

const allFields = (before: Fields, after: Fields): ReadonlyArray<string> => {
  const fields = Object.keys(after)
  for (const field in before) if (!(field in after)) fields.push(field)
  return fields
}

/**
 * Returns the patch of a list that is keyed by `type`, for a strategic merge patch: the items that are new, and the
 * changed fields of the others. Items that are only in `before` are not removed.
 */
export const conditionsDiff = <A extends { readonly type: string }>(
  before: ReadonlyArray<A> = [],
  after: ReadonlyArray<A> = []
): ReadonlyArray<Fields> => {
  if (before === after) return []
  const changed: Array<Fields> = []
  for (const item of after) {
    const old = before.find(({ type }) => type === item.type)
    if (old === undefined) changed.push({ ...item })
    else if (old !== item) {
      const inner = mergeDiff(old as unknown as Fields, item as unknown as Fields)
      if (inner !== undefined) changed.push({ type: item.type, ...inner })
    }
  }
  return changed
}

/** Returns the strategic merge patch that replaces a list with a merge key whole. */
export const replacedList = (items: ReadonlyArray<unknown> = []): ReadonlyArray<unknown> => [
  { $patch: "replace" },
  ...items
]
