import { formatMicroTime, formatTime } from "@rollcall/api"
import type { FieldType, MessageType, Scalar, WireType } from "@rollcall/api/wire"
import * as fc from "fast-check"

/** Random objects of a message, in the form in which Go writes them. */

const time = fc.integer({ min: 1, max: 4_000_000_000 })

const scalars: Readonly<Record<Scalar, fc.Arbitrary<unknown>>> = {
  string: fc.string({ maxLength: 8, unit: "grapheme" }),
  bool: fc.boolean(),
  int32: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  int64: fc.maxSafeInteger(),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
  bytes: fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString("base64")),
  Time: time.map((seconds) => formatTime(seconds * 1000)),
  MicroTime: fc
    .tuple(time, fc.integer({ min: 0, max: 999 }))
    .map(([seconds, millis]) => formatMicroTime(seconds * 1000 + millis)),
  Duration: fc.integer({ min: 1, max: 100_000 }).map((seconds) => `${seconds}s`),
  Quantity: fc.constantFrom("100m", "1Gi", "3", "12500Ki", "0", "1e3"),
  IntOrString: fc.oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), fc.constantFrom("25%", "http", "")),
  RawExtension: fc.constantFrom({ a: [1, null] }, { kind: "Odd", apiVersion: "x/v1" }),
  FieldsV1: fc.constant({ "f:metadata": { "f:labels": { ".": {} } } }),
  any: fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== null)
}

const arbitraryOfType = (type: WireType, depth: number): fc.Arbitrary<unknown> => {
  switch (type.type) {
    case "scalar":
      return scalars[type.scalar]
    case "message":
      return arbitraryOfMessage(type.message, depth - 1)
    case "list":
      return fc.array(arbitraryOfType(type.items, depth), { maxLength: 2 })
    case "map":
      return fc.dictionary(fc.string({ maxLength: 5 }), arbitraryOfType(type.values, depth), { maxKeys: 2 })
  }
}

const arbitraryOfField = (field: FieldType, depth: number): fc.Arbitrary<unknown> =>
  depth <= 0 && field.type.type === "message" ? fc.constant({}) : arbitraryOfType(field.type, depth)

export const arbitraryOfMessage = (type: MessageType, depth: number): fc.Arbitrary<Record<string, unknown>> => {
  if (depth < 0) return fc.constant({})
  const fields = [...type.fields.values()].filter((field) => field.number !== 0)
  return fc
    .subarray(fields, { maxLength: Math.min(fields.length, 6) })
    .chain((chosen) =>
      fc.record(Object.fromEntries(chosen.map((field) => [field.name, arbitraryOfField(field, depth)])))
    )
}
