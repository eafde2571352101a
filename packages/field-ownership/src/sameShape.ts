import { isFields, sameValue } from "@rollcall/api/values"
import { noValues } from "./entries.ts"
import { STEP_ENTRIES } from "./FieldSetBuilder.ts"
import type { ListSchema, Schema, StructSchema } from "./schema.ts"

type Values = Readonly<Record<string, unknown>>

/**
 * Whether two new objects have the same fields, so that their creators own the same set. Values may differ where only
 * their presence counts: the names of two pods of a ReplicaSet. `empty` has the fields that Go always writes, which have
 * no owner. Returns false where it is not certain, and for objects with more than `STEP_ENTRIES` values.
 */
export const sameShape = (empty: unknown, left: unknown, right: unknown, schema: Schema): boolean =>
  new Walk().same(empty, left, right, schema)

/** Whether a value that is owned as a whole has an owner, unless it is that of the fields which Go always writes. */
const isOwned = (value: unknown): boolean =>
  Array.isArray(value) || (value !== undefined && value !== null && typeof value !== "object")

class Walk {
  private left = STEP_ENTRIES

  same(empty: unknown, left: unknown, right: unknown, schema: Schema): boolean {
    if (left === right) return true
    if (left === empty || right === empty || --this.left < 0) return false
    switch (schema.form) {
      case "struct":
        return (
          isFields(left) && isFields(right) && this.sameStruct(isFields(empty) ? empty : noValues, left, right, schema)
        )
      case "map":
        return isFields(left) && isFields(right) && this.sameMap(left, right, schema.values)
      case "list":
        return Array.isArray(left) && Array.isArray(right) && this.sameList(left, right, schema)
      default:
        return (isOwned(left) && isOwned(right)) || sameValue(left, right)
    }
  }

  private sameStruct(empty: Values, left: Values, right: Values, { fields }: StructSchema): boolean {
    let names = 0
    for (const name in left) {
      names++
      const ours = left[name]
      const theirs = right[name]
      if (ours === theirs) continue
      const field = fields.get(name)
      const same = field === undefined ? sameValue(ours, theirs) : this.same(empty[name], ours, theirs, field.schema)
      if (!same) return false
    }
    for (const _ in right) names--
    return names === 0
  }

  private sameMap(left: Values, right: Values, schema: Schema): boolean {
    // With `for in`, V8 optimizes the access for the name that it saw first, and again after each other one.
    const names = Object.keys(left)
    if (names.length !== Object.keys(right).length) return false
    for (const name of names) {
      if (!Object.hasOwn(right, name) || !this.same(undefined, left[name], right[name], schema)) return false
    }
    return true
  }

  /** Lists have the same elements if their keys are equal, in the same order. */
  private sameList(left: ReadonlyArray<unknown>, right: ReadonlyArray<unknown>, { items, keys }: ListSchema): boolean {
    if (left.length !== right.length) return false
    for (let index = 0; index < left.length; index++) {
      const ours = left[index]
      const theirs = right[index]
      if (ours === theirs) continue
      if (!isFields(ours) || !isFields(theirs)) return false
      for (const { name } of keys) if (ours[name] !== theirs[name]) return false
      if (!this.same(undefined, ours, theirs, items)) return false
    }
    return true
  }
}
