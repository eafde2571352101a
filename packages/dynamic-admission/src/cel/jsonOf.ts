import { exactInteger } from "@rollcall/api/json"
import { CelList, CelMap, MessageValue, Optional, type Value } from "@rollcall/cel"

/** Returns the JSON of a value; undefined for values that have none. */
export const jsonOf = (value: Value): unknown => {
  if (value === null || typeof value === "string" || typeof value === "boolean" || typeof value === "number")
    return value
  if (typeof value === "bigint") return exactInteger(value) ?? Number(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64")
  if (value instanceof CelList) return [...value].map(jsonOf)
  if (value instanceof CelMap) {
    return Object.fromEntries([...value.keys()].map((key) => [String(key), jsonOf(value.get(key) ?? null)]))
  }
  if (value instanceof Optional) return value.value === undefined ? null : jsonOf(value.value)
  return undefined
}

/**
 * Returns what is wrong with the names of messages, a line each: a name is the path of the field that has the message.
 * Upstream: apiserver/pkg/cel/mutation/dynamic/objects.go.
 */
export const messageFault = (value: Value, expected: string): string | undefined => {
  const faults = [...nameFaults(value, expected)]
  return faults.length === 0 ? undefined : faults.join("\n")
}

const nameFaults = function* (value: Value, expected: string): Generator<string> {
  if (value instanceof CelList) for (const item of value) yield* nameFaults(item, expected)
  if (!(value instanceof CelMap)) return
  const isMessage = value instanceof MessageValue
  if (isMessage && value.messageName !== expected) {
    yield `unexpected type name ${JSON.stringify(value.messageName)}, expected ${JSON.stringify(expected)}, which matches field name path from root Object type`
  }
  for (const key of value.keys()) {
    yield* nameFaults(value.get(key) ?? null, isMessage ? `${expected}.${String(key)}` : expected)
  }
}
