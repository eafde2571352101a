import type { FieldType, WireType } from "@rollcall/api/wire"
import { isObject, type Json } from "../Case.ts"
import { randomValue } from "./mutate.ts"
import type { Random } from "./Random.ts"

/** A place in an object: the field or the item there, which may be absent. */
interface Place {
  readonly path: ReadonlyArray<string | number>
  readonly type: WireType
  readonly field: FieldType | undefined
}

/** Returns all places in a value: each of its fields and items, and the fields that its messages lack. */
export const placesIn = (value: Json, type: WireType, path: Place["path"] = []): ReadonlyArray<Place> => {
  const at = (key: string | number, inner: WireType, field: FieldType | undefined, item: Json | undefined) => {
    const place = { path: [...path, key], type: inner, field }
    return item === undefined ? [place] : [place, ...placesIn(item, inner, place.path)]
  }
  if (isObject(value) && type.type === "message") {
    return [...type.message.fields.values()].flatMap((field) => at(field.name, field.type, field, value[field.name]))
  }
  if (isObject(value) && type.type === "map") {
    return Object.entries(value).flatMap(([key, item]) => at(key, type.values, undefined, item))
  }
  if (Array.isArray(value) && type.type === "list") {
    return value.flatMap((item, index) => at(index, type.items, undefined, item))
  }
  return []
}

const without = (value: Json, key: string | number): Json => {
  if (Array.isArray(value)) return value.filter((_, index) => index !== key)
  return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)) : value
}

/** Returns a value with another at a path; undefined leaves it out. */
export const withValue = (value: Json, [key, ...rest]: Place["path"], made: Json | undefined): Json => {
  if (key === undefined) return made ?? null
  if (made === undefined && rest.length === 0) return without(value, key)
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? withValue(item, rest, made) : item))
  const before = isObject(value) ? value : {}
  return { ...before, [key]: withValue(before[key] ?? null, rest, made) }
}

const wrong: ReadonlyArray<Json> = [null, "", "text", 1, -1, 1.5, true, [], {}, [null], [{}], { a: 1 }, ["a", "a"]]

/** Returns an object with one change at a place of it, wherever: all places are as probable, however deep. */
export const changedAnywhere = (random: Random, value: Json, type: WireType, within: string | undefined): Json => {
  const places = placesIn(value, type).filter(({ path }) => within === undefined || path[0] === within)
  if (places.length === 0) return value
  const { field, path, type: inner } = random.pick(places)
  const made = random.next()
  if (made < 0.1) return withValue(value, path, undefined)
  if (made < 0.25) return withValue(value, path, random.pick(wrong))
  return withValue(value, path, randomValue(random, inner, field, 1))
}
