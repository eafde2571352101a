import * as Result from "effect/Result"
import { parseQuantity } from "../../quantity/parseQuantity.ts"
import { formatQuantity } from "../../quantity/Quantity.ts"
import { isMicroTime, parseTime } from "../../Time.ts"
import type { MessageType, Scalar, WireType } from "../WireType.ts"
import { base64Fault, canonicalBase64 } from "./goScalars.ts"
import { alwaysWrittenFields, isHeldEmpty, isOmittedByGo, writesNullWhenAbsent } from "./goTypes.ts"

/**
 * A fast check of a body: whether it is exactly as Go would write it, so that the parsed value can be used unchanged.
 * Nearly all bodies are. Everything else (unknown or duplicate fields, nulls, wrong types, other spellings) is decoded
 * by `Reader`.
 */

/**
 * Counts the members of the text's objects. Returns -1 if a number has a fraction or exponent, or lists and maps are
 * nested deeper than `maxDepth`.
 */
export const countMembers = (text: string, maxDepth: number): number => {
  let members = 0
  let depth = 0
  const end = text.length
  for (let at = 0; at < end; at++) {
    switch (text.charCodeAt(at)) {
      // A string: skipped.
      case 34: {
        at = text.indexOf('"', at + 1)
        // A quote is escaped by an odd number of backslashes before it.
        while (text.charCodeAt(at - 1) === 92 && isEscaped(text, at)) at = text.indexOf('"', at + 1)
        break
      }
      // ":"
      case 58:
        members++
        break
      // "{", "["
      case 123:
      case 91:
        if (++depth > maxDepth) return -1
        break
      // "}", "]"
      case 125:
      case 93:
        depth--
        break
      // ".", "E"
      case 46:
      case 69:
        return -1
      // "e": an exponent after a digit; otherwise a letter of true or false.
      case 101: {
        const before = text.charCodeAt(at - 1)
        if (before >= 48 && before <= 57) return -1
        break
      }
    }
  }
  return members
}

/** Whether the quote at this position has an odd number of backslashes before it. */
const isEscaped = (text: string, quote: number): boolean => {
  let at = quote - 1
  while (text.charCodeAt(at) === 92) at--
  return (quote - at) % 2 === 0
}

/** Whether the value has the form `2026-01-02T03:04:05Z`. */
const isCanonicalTime = (value: unknown): boolean =>
  typeof value === "string" &&
  value.length === 20 &&
  value.charCodeAt(19) === 90 &&
  value.charCodeAt(10) === 84 &&
  !Number.isNaN(parseTime(value))

/** Whether the value has the form `2026-01-02T03:04:05.000000Z`. */
const isCanonicalMicroTime = (value: unknown): boolean =>
  typeof value === "string" && value.length === 27 && value.charCodeAt(26) === 90 && isMicroTime(value)

/** Most quantities are among a few texts, which are parsed only once. */
const canonicalQuantities = new Set<string>()
const MAX_QUANTITIES = 4096

const isCanonicalQuantity = (value: unknown): boolean => {
  if (typeof value !== "string") return false
  if (canonicalQuantities.has(value)) return true
  const parsed = parseQuantity(value)
  if (Result.isFailure(parsed) || formatQuantity(parsed.success) !== value) return false
  if (canonicalQuantities.size >= MAX_QUANTITIES) canonicalQuantities.clear()
  canonicalQuantities.add(value)
  return true
}

const isInt32 = (value: unknown): boolean => typeof value === "number" && value === (value | 0)

const isCanonicalScalar = (scalar: Scalar, value: unknown): boolean => {
  switch (scalar) {
    case "string":
      return typeof value === "string"
    case "bool":
      return typeof value === "boolean"
    case "int32":
      return isInt32(value)
    case "int64":
      return Number.isSafeInteger(value) || typeof value === "bigint"
    case "double":
      return Number.isFinite(value)
    case "IntOrString":
      return typeof value === "string" || isInt32(value)
    case "Time":
      return isCanonicalTime(value)
    case "MicroTime":
      return isCanonicalMicroTime(value)
    case "Quantity":
      return isCanonicalQuantity(value)
    case "bytes":
      return typeof value === "string" && base64Fault(value) === -1 && canonicalBase64(value) === value
    default:
      return false
  }
}

/** Compares a parsed value with its type, and counts its members. The result is in the fields. */
export class CleanCheck {
  /** The number of members of the objects that were visited. */
  members = 0
  /** Whether anything differs from what Go would write; the check then stops early. */
  differs = false
  /** The objects that lack fields that Go always writes, each before its type. */
  private readonly lacking: Array<Record<string, unknown> | MessageType> = []
  /** Whether there are empty lists or maps that Go would not write. */
  holdsEmpties = false
  private readonly countsUntyped: boolean

  /** With `countsUntyped`, counts also the members of values without a type, to compare the sum with `countMembers`. */
  constructor(countsUntyped: boolean) {
    this.countsUntyped = countsUntyped
  }

  /** Whether fields that Go always writes are missing. */
  get lacksFields(): boolean {
    return this.lacking.length > 0
  }

  /** Appends the missing fields to their objects, which must not be shared, as `addAlwaysWritten` does in copies. */
  addMissing(): void {
    for (let at = 0; at < this.lacking.length; at += 2) {
      const object = this.lacking[at] as Record<string, unknown>
      const fields = alwaysWrittenFields(this.lacking[at + 1] as MessageType)
      for (const [name, zero] of fields) if (object[name] === undefined) object[name] = zero
    }
  }

  message(type: MessageType, value: unknown): void {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      this.differs = true
      return
    }
    const { fields } = type
    const object = value as Record<string, unknown>
    for (const name in object) {
      this.members++
      const field = fields.get(name)
      if (field !== undefined) {
        const member = object[name]
        const before = this.members
        if (member !== null || !writesNullWhenAbsent(field)) this.value(field.type, member)
        // A map whose members were counted is not empty: looking for a first member would list all of them.
        if (this.members === before && isOmittedByGo(field, member)) {
          if (isHeldEmpty(field, member)) this.holdsEmpties = true
          else this.differs = true
        }
      } else if (type.preserveUnknown === true) {
        if (this.countsUntyped) this.count(object[name])
      } else if (type.gvk === undefined || (name !== "kind" && name !== "apiVersion")) this.differs = true
      else if (typeof object[name] !== "string") this.differs = true
      if (this.differs) return
    }
    for (const [name] of alwaysWrittenFields(type)) {
      if (object[name] !== undefined) continue
      this.lacking.push(object, type)
      return
    }
  }

  private value(type: WireType, value: unknown): void {
    switch (type.type) {
      case "scalar":
        // A schema, or something else, is read by its types.
        if (type.union !== undefined && typeof value !== "boolean") this.differs = true
        else if (type.isPruned === true && typeof value === "object" && value !== null) this.differs = true
        else if (type.scalar === "any" || type.scalar === "FieldsV1" || type.scalar === "RawExtension") this.free(value)
        else if (!isCanonicalScalar(type.scalar, value)) this.differs = true
        return
      case "message":
        this.message(type.message, value)
        return
      case "list":
        if (!Array.isArray(value)) this.differs = true
        else for (const item of value) this.value(type.items, item)
        return
      case "map":
        if (typeof value !== "object" || value === null || Array.isArray(value)) {
          this.differs = true
          return
        }
        for (const name in value) {
          this.members++
          this.value(type.values, (value as Record<string, unknown>)[name])
        }
    }
  }

  /** JSON without a type: its members are only counted, if at all. A null at the top level is left to `Reader`. */
  private free(value: unknown): void {
    if (value === null) this.differs = true
    else if (this.countsUntyped) this.count(value)
  }

  private count(value: unknown): void {
    if (typeof value !== "object" || value === null) {
      // A number beyond all of float64.
      if (value === Infinity || value === -Infinity) this.differs = true
      return
    }
    if (Array.isArray(value)) {
      for (const item of value) this.count(item)
      return
    }
    for (const name in value) {
      this.members++
      this.count((value as Record<string, unknown>)[name])
    }
  }
}
