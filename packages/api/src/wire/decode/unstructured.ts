import { exactInteger } from "../../exactJson.ts"
import type { MessageType, WireType } from "../WireType.ts"
import { goFieldName } from "./goNames.ts"
import { type Literal, readScalar } from "./goScalars.ts"

/*
 * The errors of Go's converter of untyped objects, which decodes the results of strategic merge patches. It visits
 * fields in the order of the struct, and stops at the first error. Upstream: apimachinery/pkg/runtime/converter.go,
 * fromUnstructured.
 */

type Values = Readonly<Record<string, unknown>>

const isMap = (value: unknown): value is Values => typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns the kind of the Go value that the untyped object contains. */
const goKind = (value: unknown): string => {
  if (typeof value === "bigint") return "int64"
  if (typeof value === "number") return Number.isSafeInteger(value) ? "int64" : "float64"
  if (typeof value === "boolean") return "bool"
  if (typeof value === "string") return "string"
  return Array.isArray(value) ? "slice" : "map"
}

/** Go's simple types by scalar. The others decode themselves from JSON. */
const simpleKinds: Readonly<Record<string, string>> = {
  string: "string",
  bool: "bool",
  int32: "int32",
  int64: "int64",
  double: "float64"
}

const numeric: ReadonlySet<string> = new Set(["int64", "int32", "float64", "uint8"])

const isNumeric = (kind: string): boolean => numeric.has(kind)

/** Returns the error for a value of a simple type; `typeName` is the name of that type. */
const simpleError = (value: unknown, into: string, typeName: string): string | undefined => {
  const found = goKind(value)
  if (found === into || (isNumeric(found) && isNumeric(into) && (found === "int64" || Number.isInteger(value)))) {
    return undefined
  }
  // Go converts integers to text, and between numbers; JSON does not.
  const isConvertible = (found === "int64" && into === "string") || (isNumeric(found) && isNumeric(into))
  return isConvertible ? `cannot convert ${found} to ${typeName}` : `unrecognized type: ${into}`
}

const literalOf = (value: unknown): Literal => ({
  kind: Array.isArray(value)
    ? "array"
    : isMap(value)
      ? "object"
      : typeof value === "boolean"
        ? "bool"
        : typeof value === "string"
          ? "string"
          : "number",
  value,
  raw: JSON.stringify(value)
})

const scalarError = (type: WireType & { readonly type: "scalar" }, value: unknown, name: string) => {
  const { scalar } = type
  if (scalar === "any" || scalar === "RawExtension" || scalar === "FieldsV1") return undefined
  const simple = simpleKinds[scalar]
  if (simple !== undefined) return simpleError(value, simple, simple === "string" ? name : simple)
  if (scalar === "bytes" && typeof value !== "string") {
    if (!Array.isArray(value)) return `cannot restore slice from ${goKind(value)}`
    return firstError(value, (item) => (item === null ? undefined : simpleError(item, "uint8", "uint8")))
  }
  const read = readScalar(scalar, literalOf(value))
  if ("value" in read) return undefined
  if ("error" in read) return scalar === "bytes" ? `error decoding from json: ${read.error}` : read.error
  return `json: cannot unmarshal ${read.mismatch.found} into Go value of type ${read.mismatch.into}`
}

/** Returns the first error; undefined if the value fits the type. `name` is Go's name of its strings. */
const valueError = (type: WireType, value: unknown, name: string): string | undefined => {
  if (value === null || value === undefined) return undefined
  switch (type.type) {
    case "scalar":
      return scalarError(type, value, name)
    case "message":
      return unstructuredError(type.message, value)
    case "list":
      if (!Array.isArray(value)) return `cannot restore slice from ${goKind(value)}`
      return firstError(value, (item) => valueError(type.items, item, name))
    case "map":
      if (!isMap(value)) return `cannot restore map from ${goKind(value)}`
      return firstError(Object.values(value), (item) => valueError(type.values, item, name))
  }
}

const firstError = <A>(values: Iterable<A>, errorOf: (value: A) => string | undefined): string | undefined => {
  for (const value of values) {
    const error = errorOf(value)
    if (error !== undefined) return error
  }
  return undefined
}

/** Returns why Go's converter refuses an untyped object; undefined if it accepts it. */
export const unstructuredError = (type: MessageType, value: unknown): string | undefined => {
  if (!isMap(value)) return `cannot restore struct from: ${goKind(value)}`
  const typeMeta = type.gvk === undefined ? [] : [value.kind, value.apiVersion]
  const text: WireType = { type: "scalar", scalar: "string" }
  return (
    firstError(typeMeta, (each) => valueError(text, each, "string")) ??
    firstError(type.fields.values(), (field) =>
      valueError(field.type, value[field.name], goFieldName(type, field.name, "string"))
    )
  )
}

const maxInt64 = 2 ** 63

/** Returns a number as Go's int64: of one that is too large it keeps no bits. */
const wholeOf = (value: number | bigint): bigint => {
  const isTooLarge = typeof value === "number" && Math.abs(value) >= maxInt64
  return isTooLarge ? -(2n ** 63n) : BigInt(typeof value === "number" ? Math.trunc(value) : value)
}

/** Converts a number as Go converts between its number types: it keeps the low bits. */
const cutInteger = (value: number | bigint, bits: 32 | 64): number | bigint =>
  exactInteger(BigInt.asIntN(bits, wholeOf(value))) ?? 0

const cutByte = (value: unknown): unknown =>
  typeof value === "number" || typeof value === "bigint" ? Number(BigInt.asUintN(8, wholeOf(value))) : value

/** Returns the value with integers of the size that their fields have, as Go's converter cuts them. */
export const withCutIntegers = (type: MessageType, value: unknown): unknown =>
  cutIn({ type: "message", message: type }, value)

const cutIn = (type: WireType, value: unknown): unknown => {
  switch (type.type) {
    case "scalar": {
      if (type.scalar === "bytes" && Array.isArray(value)) return value.map(cutByte)
      if (typeof value !== "number" && typeof value !== "bigint") return value
      if (type.scalar !== "int32" && type.scalar !== "int64") return value
      return cutInteger(value, type.scalar === "int32" ? 32 : 64)
    }
    case "list":
      return Array.isArray(value) ? value.map((item) => cutIn(type.items, item)) : value
    case "map":
      if (!isMap(value)) return value
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutIn(type.values, item)]))
    case "message": {
      if (!isMap(value)) return value
      const fields = Object.entries(value).map(([name, item]) => {
        const field = type.message.fields.get(name)
        return [name, field === undefined ? item : cutIn(field.type, item)]
      })
      return Object.fromEntries(fields)
    }
  }
}
