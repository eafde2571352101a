import { decodeObject, type KindName, type ObjectOf } from "@rollcall/api"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"

type Fields = Record<string, unknown>

const NO_ITEMS: ReadonlyArray<unknown> = []
const NO_FIELDS: Fields = {}

/** The parts of objects of a kind, such as `spec.containers`, that decode to themselves; by member and name. */
type CheckedParts = Map<string, Map<string, Set<unknown>>>

const setOf = (checked: CheckedParts, member: string, name: string): Set<unknown> => {
  const byName = checked.get(member)
  const known = byName?.get(name)
  if (known !== undefined) return known
  const parts = new Set()
  if (byName === undefined) checked.set(member, new Map([[name, parts]]))
  else byName.set(name, parts)
  return parts
}

/** An object with empty values in place of the parts that are checked, and the others, each after the set that it belongs to. */
interface Rest {
  readonly value: Fields
  readonly unchecked: ReadonlyArray<readonly [Set<unknown>, unknown]>
}

const restOf = (checked: CheckedParts, object: Fields): Rest => {
  const value = { ...object }
  const unchecked: Array<readonly [Set<unknown>, unknown]> = []
  for (const member in object) {
    const fields = object[member]
    if (!Predicate.isReadonlyObject(fields)) continue
    let copy: Fields | undefined
    for (const name in fields) {
      const part = fields[name]
      if (typeof part !== "object" || part === null) continue
      const parts = setOf(checked, member, name)
      if (!parts.has(part)) unchecked.push([parts, part])
      else {
        copy ??= { ...fields }
        copy[name] = Array.isArray(part) ? NO_ITEMS : NO_FIELDS
      }
    }
    if (copy !== undefined) value[member] = copy
  }
  return { value, unchecked }
}

/**
 * Makes a function that decodes objects as `decodeObject` does. Of the parts that objects share, such as the containers of the pods of a
 * template, each is checked once.
 */
export const makeDecoder = () => {
  const byKind = new Map<KindName, CheckedParts>()
  return <K extends KindName>(kind: K, object: Fields): Effect.Effect<ObjectOf<K>, Schema.SchemaError> => {
    const checked = byKind.get(kind) ?? new Map()
    byKind.set(kind, checked)
    const { unchecked, value } = restOf(checked, object)
    const whole = Effect.suspend(() => decodeObject(kind, object))
    return decodeObject(kind, value).pipe(
      Effect.flatMap((decoded) => {
        if ((decoded as unknown) !== value) return whole
        for (const [parts, part] of unchecked) parts.add(part)
        return Effect.succeed(object as unknown as ObjectOf<K>)
      }),
      Effect.catch(() => whole)
    )
  }
}
