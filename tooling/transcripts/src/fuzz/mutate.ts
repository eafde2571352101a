import type { FieldType, MessageType, Scalar, WireType } from "@rollcall/api/wire"
import { isObject, type Json, type JsonObject } from "../Case.ts"
import type { Random } from "./Random.ts"

const texts = [
  "",
  "a",
  "A",
  "a.b",
  "a-b",
  "-a",
  "a_b",
  "x".repeat(64),
  "x".repeat(254),
  "a/b",
  "a b",
  "10.0.0.300",
  "1"
]
const numbers = [0, 1, -1, 2, 80, 65535, 65536, 2147483647, 2147483648, -2147483649, 1.5, 1e20]
const quantities = ["0", "1", "-1", "1Gi", "100m", "1.5", "1Zi", "abc", "", 5]
const times = ["2021-03-04T05:06:07Z", "2021-03-04T05:06:07.123456Z", "2021-03-04", "", null]
const wrong: ReadonlyArray<Json> = [null, "", "text", 1, true, [], {}, [null], { a: 1 }, ["a"]]

const scalars: Readonly<Record<Scalar, ReadonlyArray<Json>>> = {
  string: texts,
  bool: [true, false],
  int32: numbers,
  int64: [...numbers, 9007199254740992],
  double: numbers,
  bytes: ["", "YQ==", "not base64!"],
  Time: times,
  MicroTime: times,
  Duration: ["1s", "1h", "x", ""],
  Quantity: quantities,
  IntOrString: [0, 1, -1, "50%", "150%", "http", "", "x%"],
  RawExtension: [{ a: 1 }, {}],
  FieldsV1: [{}, { "f:a": {} }],
  any: [1, "a", {}, null]
}

/** Texts that are valid in the fields whose names end so: what is otherwise valid is validated further. */
const meaningful: ReadonlyArray<readonly [RegExp, ReadonlyArray<string>]> = [
  [/(?:ip|ips|address|addresses)$/i, ["10.1.2.3", "::1", "010.1.2.3", "127.0.0.1", "fe80::1"]],
  [/cidrs?$/i, ["10.1.0.0/16", "10.1.2.3/16", "fd00::/8", "10.1.0.0"]],
  [/(?:path|paths)$/i, ["/a", "a/../b", "a", "/a:b", "../a"]],
  [/apiVersion$/, ["v1", "apps/v1", "a/b/c"]],
  [/^kind$/, ["Pod", "Secret", "pod"]],
  [/expression$/i, ["true", "1", "object.", "has(object.spec)", "self == oldSelf"]],
  [/(?:key|keys|driver|controller|provisioner|signerName|resource|resourceName)$/i, ["a.io/b", "a.io", "cpu", "a/b/c"]],
  [/(?:schedule|timeZone)$/, ["@daily", "* * * * *", "TZ=UTC * * * * *", "Etc/UTC", "Local"]],
  [/(?:reason|type|phase|status|operator)$/, ["Ready", "True", "Unknown", "Exists", "In", "Gt", "DoesNotExist"]],
  [/(?:hostname|domain|subdomain|host|hosts|name|names)$/i, ["a", "a.io", "*.a.io", "A", "a."]]
]

/** Returns a text for a field, which is valid in many that are named so. */
const textFor = (random: Random, name: string): string => {
  const some = random.chance(0.5) ? meaningful.find(([pattern]) => pattern.test(name)) : undefined
  return random.pick(some?.[1] ?? texts)
}

/** Returns a value of a type: mostly of its form, whatever its meaning. */
export const randomValue = (random: Random, type: WireType, field: FieldType | undefined, depth: number): Json => {
  if (random.chance(0.06)) return random.pick(wrong)
  switch (type.type) {
    case "scalar":
      if (field?.enum !== undefined && random.chance(0.7)) return random.pick(field.enum)
      if (type.scalar === "string") return textFor(random, field?.name ?? "")
      return random.pick(scalars[type.scalar])
    case "list":
      return Array.from({ length: random.pick([0, 1, 1, 2]) }, () => randomValue(random, type.items, field, depth + 1))
    case "map":
      return Object.fromEntries(
        Array.from({ length: random.pick([0, 1, 2]) }, () => [
          textFor(random, "key"),
          randomValue(random, type.values, undefined, depth + 1)
        ])
      )
    case "message":
      return messageOf(random, type.message, depth + 1)
  }
}

const MAX_DEPTH = 4

const messageOf = (random: Random, message: MessageType, depth: number): JsonObject => {
  const made: Record<string, Json> = {}
  for (const field of message.fields.values()) {
    const wanted = field.required ? 0.8 : depth >= MAX_DEPTH ? 0 : 2 / message.fields.size
    if (random.chance(wanted)) made[field.name] = randomValue(random, field.type, field, depth)
  }
  return made
}

/** Returns an object with one change somewhere within it: another value, an absent or an unknown field, another item. */
export const mutated = (random: Random, value: Json, type: WireType, field?: FieldType, depth = 0): Json => {
  if (isObject(value) && type.type === "message") return mutatedMessage(random, value, type.message, depth)
  if (isObject(value) && type.type === "map" && random.chance(0.7)) {
    const [key, item] = random.pick([...Object.entries(value), [random.pick(texts), null] as const])
    return { ...value, [key]: mutated(random, item, type.values, undefined, depth + 1) }
  }
  if (Array.isArray(value) && type.type === "list" && value.length > 0 && random.chance(0.8)) {
    const at = random.below(value.length)
    const item = mutated(random, value[at] ?? null, type.items, field, depth + 1)
    if (random.chance(0.15)) return [...value, value[at] ?? null]
    return value.map((each, index) => (index === at ? item : each))
  }
  return randomValue(random, type, field, depth)
}

const mutatedMessage = (random: Random, value: JsonObject, message: MessageType, depth: number): JsonObject => {
  const fields = [...message.fields.values()]
  const present = fields.filter(({ name }) => value[name] !== undefined)
  if (random.chance(0.03)) return { ...value, unknownField: random.pick(wrong) }
  if (fields.length === 0) return value
  // Rather within what is there, so that changes reach the depth of the object.
  const field = present.length > 0 && random.chance(0.6) ? random.pick(present) : random.pick(fields)
  const before = value[field.name]
  if (before !== undefined && random.chance(0.08)) {
    const { [field.name]: _, ...rest } = value
    return rest
  }
  const made =
    before === undefined
      ? randomValue(random, field.type, field, depth + 1)
      : mutated(random, before, field.type, field, depth + 1)
  return { ...value, [field.name]: made }
}
