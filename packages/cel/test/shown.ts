import { CelError, CelList, CelMap, Optional, type Value } from "@rollcall/cel"
import { conversions, doubleText } from "../src/conversions.ts"
import { Meter } from "../src/Meter.ts"
import { Duration, Timestamp, TypeValue, typeName, Uint } from "../src/values.ts"

/** Returns a value with its type as a text: `[1u, double(1.5)]`. */
export const shown = (value: Value): string => {
  if (value === null || typeof value === "bigint" || typeof value === "boolean") return String(value)
  if (typeof value === "string") {
    return JSON.stringify(value).replace(/[\u2028\u2029]/g, (each) => `\\u${each.charCodeAt(0).toString(16)}`)
  }
  if (typeof value === "number") return `double(${doubleText(value)})`
  if (value instanceof Uint) return `${value.value}u`
  if (value instanceof Uint8Array) return `b(${Buffer.from(value).toString("hex")})`
  if (value instanceof Duration) return `duration(${value.nanos})`
  if (value instanceof Timestamp) return `timestamp(${conversions.string?.([value], new Meter())})`
  if (value instanceof Optional) return value.value === undefined ? "none" : `of(${shown(value.value)})`
  if (value instanceof TypeValue) return `type(${value.name})`
  if (value instanceof CelError) return `error(${value.message})`
  if (value instanceof CelList) return `[${Array.from(value, shown).join(", ")}]`
  return value instanceof CelMap ? shownMap(value) : typeName(value)
}

const shownMap = (map: CelMap): string => {
  const entries = Array.from(map.keys(), (key) => `${shown(key)}: ${shown(map.get(key) ?? null)}`)
  return `{${entries.sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))).join(", ")}}`
}
