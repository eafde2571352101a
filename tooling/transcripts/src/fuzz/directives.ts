import type { FieldType, WireType } from "@rollcall/api/wire"
import { isObject, type Json, type JsonObject } from "../Case.ts"
import type { Random } from "./Random.ts"

const valueOfKey = (element: Json, key: string): Json => (isObject(element) ? (element[key] ?? null) : element)

/** Returns a list of a strategic patch: some elements, perhaps one that is deleted, and perhaps the order of all. */
const listWithDirectives = (random: Random, field: FieldType, items: ReadonlyArray<Json>): JsonObject => {
  const { name, patchMergeKey: key = "name" } = field
  const kept = items.filter(() => random.chance(0.6)) as Array<Json>
  const isOfObjects = items.some(isObject)
  if (isOfObjects && random.chance(0.4)) {
    const deleted = random.pick([...items, { [key]: "nothing" }])
    kept.push({ [key]: valueOfKey(deleted, key), $patch: random.pick(["delete", "delete", "replace", "merge", "bad"]) })
  }
  if (isOfObjects && random.chance(0.1)) kept.push({ $patch: "replace" })
  const made: Record<string, Json> = { [name]: kept }
  if (random.chance(0.4)) {
    const order = [...items].reverse().map((item) => valueOfKey(item, key))
    const element = (value: Json): Json => (isOfObjects ? { [key]: value } : value)
    made[`$setElementOrder/${name}`] = order.filter(() => random.chance(0.9)).map(element)
  }
  if (!isOfObjects && random.chance(0.5)) {
    made[`$deleteFromPrimitiveList/${name}`] = random.pick<Json>([[items[0] ?? "x"], ["nothing"], "x", [1]])
  }
  return made
}

/** Returns an object with directives of strategic merge patch somewhere within it. */
export const withDirectives = (random: Random, value: Json, type: WireType): Json => {
  if (!isObject(value)) return value
  const made: Record<string, Json> = {}
  for (const [name, item] of Object.entries(value)) {
    const field = type.type === "message" ? type.message.fields.get(name) : undefined
    if (field !== undefined && Array.isArray(item) && random.chance(0.7)) {
      Object.assign(made, listWithDirectives(random, field, item))
    } else {
      made[name] = field === undefined ? item : withDirectives(random, item, field.type)
    }
  }
  if (random.chance(0.1)) made.$patch = random.pick(["replace", "delete", "merge", "bad", 1])
  if (random.chance(0.1))
    made.$retainKeys = random.pick<Json>([Object.keys(made), Object.keys(made).slice(1), "x", [1]])
  return made
}
