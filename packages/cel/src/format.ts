import { goQuote } from "@rollcall/api"
import { conversions, doubleText } from "./conversions.ts"
import { type Clause, type ClauseKind, clausesOf, FormatFault, wrongArgument } from "./formatClauses.ts"
import { fixedText, scientificText } from "./formatDoubles.ts"
import type { Meter } from "./Meter.ts"
import { type CelFunction, compareTexts } from "./operators.ts"
import { TextEncoder } from "./runtime.ts"
import { CelError, CelList, CelMap, Duration, Timestamp, TypeValue, typeName, Uint, type Value } from "./values.ts"

/** Thrown for an argument that cannot be formatted. */
class ArgumentFault extends Error {}

/** Returns the text that `string` makes of a value, or the value's type. */
const plainText = (value: Value, meter: Meter): string => {
  if (value === null) return "null"
  if (value instanceof TypeValue) return value.name
  const text = conversions.string?.([value], meter)
  if (typeof text === "string") return text
  const reason = text instanceof CelError ? text.message : ""
  throw new ArgumentFault(`could not convert argument ${goQuote(reason)} to string`)
}

const isPlain = (value: Value): boolean =>
  value === null ||
  ["bigint", "boolean", "number", "string"].includes(typeof value) ||
  value instanceof Uint ||
  value instanceof Uint8Array ||
  value instanceof Duration ||
  value instanceof Timestamp ||
  value instanceof TypeValue

/** Returns a part of a list or map as an expression would write it. */
const partText = (value: Value, meter: Meter): string => {
  meter.spend(1)
  if (value instanceof CelList || value instanceof CelMap) return aggregateText(value, meter)
  if (!isPlain(value)) throw new ArgumentFault(`no formatting function for ${typeName(value)}`)
  if (typeof value === "number") return Number.isFinite(value) ? withPoint(value) : goQuote(doubleText(value))
  const text = plainText(value, meter)
  meter.make(text.length)
  if (typeof value === "string") return goQuote(text)
  if (value instanceof Uint8Array) return `b${goQuote(text)}`
  if (value instanceof Duration) return `duration(${goQuote(text)})`
  return value instanceof Timestamp ? `timestamp(${goQuote(text)})` : text
}

/** Six digits after the point, without commas. */
const withPoint = (value: number): string => {
  const text = fixedText(value, 6).replaceAll(",", "")
  return Object.is(value, -0) ? `-${text}` : text
}

const aggregateText = (value: CelList | CelMap, meter: Meter): string => {
  if (value instanceof CelList) return `[${Array.from(value, (item) => partText(item, meter)).join(", ")}]`
  const entries: Array<readonly [string, string]> = []
  for (const key of value.keys()) entries.push([keyText(key, meter), partText(value.get(key) ?? null, meter)])
  entries.sort(([left], [right]) => compareTexts(left, right))
  return `{${entries.map(([key, text]) => `${key}:${text}`).join(", ")}}`
}

const keyText = (key: Value, meter: Meter): string => {
  if (typeof key === "string" || typeof key === "boolean" || typeof key === "bigint") return partText(key, meter)
  throw new ArgumentFault(`no formatting function for map key of type ${typeName(key)}`)
}

const specialDoubles: Readonly<Record<string, number>> = { Infinity, NaN: Number.NaN, "-Infinity": -Infinity }

/** Returns the number of a `%f` or `%e`, which may be written as the name of a special one. */
const doubleOf = (value: Value): number | undefined => {
  if (typeof value === "number") return value
  return typeof value === "string" && Object.hasOwn(specialDoubles, value) ? specialDoubles[value] : undefined
}

const integerOf = (value: Value): bigint | undefined =>
  typeof value === "bigint" ? value : value instanceof Uint ? value.value : undefined

const hexadecimal = (value: Value, meter: Meter): string | undefined => {
  if (typeof value !== "string" && !(value instanceof Uint8Array)) return integerOf(value)?.toString(16)
  meter.make(2 * value.length)
  const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** How a clause shows its argument; undefined if it does not accept it. */
const clauses: Readonly<Record<ClauseKind, (value: Value, clause: Clause, meter: Meter) => string | undefined>> = {
  b: (value) => (typeof value === "boolean" ? (value ? "1" : "0") : integerOf(value)?.toString(2)),
  d: (value) => integerOf(value)?.toString(),
  e: (value, { precision = 6 }, meter) => {
    const double = doubleOf(value)
    if (double === undefined) return undefined
    meter.make(400 + precision)
    return scientificText(double, precision)
  },
  f: (value, { precision = 6 }, meter) => {
    const double = doubleOf(value)
    if (double === undefined) return undefined
    meter.make(1000)
    return fixedText(double, precision)
  },
  o: (value) => integerOf(value)?.toString(8),
  s: (value, _, meter) => {
    if (value instanceof CelList || value instanceof CelMap) return aggregateText(value, meter)
    return isPlain(value) ? plainText(value, meter) : undefined
  },
  x: (value, { upper }, meter) => {
    const text = hexadecimal(value, meter)
    return upper ? text?.toUpperCase() : text
  }
}

const clauseText = (clause: Clause, value: Value, meter: Meter): string | CelError => {
  try {
    const text = clauses[clause.kind](value, clause, meter)
    if (text !== undefined) return text
    throw new ArgumentFault(wrongArgument(clause.kind, typeName(value)))
  } catch (error) {
    if (!(error instanceof ArgumentFault)) throw error
    return new CelError(`error during formatting: ${error.message}`)
  }
}

/** Formats a list of values: `'%s is %d'.format(['a', 1])`. Upstream: cel-go/ext/formatting.go. */
export const format: CelFunction = ([text, list], meter) => {
  if (typeof text !== "string" || !(list instanceof CelList)) return undefined
  meter.make(text.length)
  let made = ""
  let count = 0
  for (const clause of clausesOf(text)) {
    if (typeof clause === "string") {
      made += clause
      continue
    }
    if (count >= list.size) return new CelError(`index ${count} out of range`)
    if (clause instanceof FormatFault) return new CelError(clause.message)
    const shown = clauseText(clause, list.at(count++), meter)
    if (shown instanceof CelError) return shown
    meter.make(shown.length)
    made += shown
  }
  return made
}
