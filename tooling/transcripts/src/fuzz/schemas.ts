import type { Json, JsonObject } from "../Case.ts"
import type { Random } from "./Random.ts"

const MAX_DEPTH = 3

const scalars: Readonly<Record<string, ReadonlyArray<JsonObject>>> = {
  string: [
    {},
    { maxLength: 3 },
    { minLength: 1 },
    { pattern: "^a" },
    { enum: ["a", "b"] },
    { format: "date-time" },
    { default: "a" },
    { anyOf: [{ pattern: "a" }, { maxLength: 2 }] },
    { not: { enum: ["1"] } },
    { oneOf: [{ enum: ["a"] }, { minLength: 3 }] },
    { allOf: [{ maxLength: 5 }, { pattern: "a" }] },
    { "x-kubernetes-validations": [{ rule: "self != 'A'", message: "no A" }] },
    { "x-kubernetes-validations": [{ rule: "self == oldSelf", reason: "FieldValueForbidden" }] }
  ],
  integer: [
    {},
    { minimum: 0 },
    { maximum: 10 },
    { maximum: 65535, exclusiveMaximum: true },
    { format: "int32" },
    { format: "int64" },
    { multipleOf: 2 },
    { default: 1 },
    { enum: [2, 80] },
    { "x-kubernetes-validations": [{ rule: "self > 0", messageExpression: "'got ' + string(self)" }] }
  ],
  number: [{}, { minimum: 0, exclusiveMinimum: true }, { format: "float" }, { format: "double", maximum: 80 }],
  boolean: [{}, { default: true }]
}

/** A list of objects that are told apart by a key. */
const keyedList = (random: Random, depth: number): JsonObject => {
  const properties = { k: { type: "string" }, v: randomSchema(random, depth + 1) }
  const items = { type: "object", required: ["k"], properties }
  return { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], items }
}

/** Returns a random schema, of which `validValue` returns a value. */
export const randomSchema = (random: Random, depth: number): JsonObject => {
  const kinds =
    depth < MAX_DEPTH
      ? ["string", "integer", "number", "boolean", "object", "map", "array", "keyed", "set", "any"]
      : ["string", "integer"]
  const kind = random.pick(kinds)
  const nullable = random.chance(0.1) ? { nullable: true } : {}
  switch (kind) {
    case "object": {
      const names = ["a", "b", "c"].slice(0, 1 + random.below(3))
      const properties = Object.fromEntries(names.map((name) => [name, randomSchema(random, depth + 1)]))
      const required = random.chance(0.3) ? { required: ["a"] } : {}
      const open = random.chance(0.1) ? { "x-kubernetes-preserve-unknown-fields": true } : {}
      return { type: "object", properties, ...required, ...open, ...nullable }
    }
    case "map":
      return {
        type: "object",
        additionalProperties: randomSchema(random, depth + 1),
        ...random.pick<JsonObject>([{}, { maxProperties: 1 }, { minProperties: 1 }]),
        ...nullable
      }
    case "keyed":
      return keyedList(random, depth)
    case "set":
      return { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" }, maxItems: 9 }
    case "array": {
      const bounds = random.pick<JsonObject>([{}, { maxItems: 2 }, { minItems: 1 }])
      return { type: "array", items: randomSchema(random, depth + 1), ...bounds, ...nullable }
    }
    case "any":
      return random.pick<JsonObject>([
        { "x-kubernetes-int-or-string": true },
        { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        { "x-kubernetes-preserve-unknown-fields": true }
      ])
    default:
      return { type: kind, ...random.pick(scalars[kind] ?? [{}]), ...nullable }
  }
}

/** Returns a valid value of a random schema. */
export const validValue = (schema: JsonObject): Json => {
  if (schema["x-kubernetes-int-or-string"]) return 1
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null
  const { additionalProperties, items, properties, type } = schema
  switch (type) {
    case "object":
      if (additionalProperties !== undefined) return { k: validValue(additionalProperties as JsonObject) }
      return Object.fromEntries(
        Object.entries((properties ?? {}) as Readonly<Record<string, JsonObject>>).map(([name, each]) => [
          name,
          validValue(each)
        ])
      )
    case "array":
      return [validValue(items as JsonObject)]
    case "integer":
    case "number":
      return 2
    case "boolean":
      return true
    default:
      return schema.format === "date-time" ? "2021-03-04T05:06:07Z" : "a"
  }
}
