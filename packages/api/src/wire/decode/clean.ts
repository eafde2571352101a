import * as Result from "effect/Result"
import { parseQuantity } from "../../quantity/parse.ts"
import { formatQuantity } from "../../quantity/Quantity.ts"
import { isMicroTime, parseTime } from "../../Time.ts"
import type { MessageType, Scalar, WireType } from "../WireType.ts"
import { base64Fault } from "./goScalars.ts"
import { alwaysWritten, leftOut, nullable } from "./goTypes.ts"

/**
 * A fast check of a body: whether it is exactly as Go would write it, so that the parsed value can be used unchanged.
 * Nearly all bodies are. Everything else (unknown or duplicate fields, nulls, wrong types, other spellings) is decoded
 * by `Reader`.
 */

/** Counts the members of the text's objects; -1 if a number has a fraction or exponent, or the nesting is too deep. */
export const countMembers = (text: string, maxDepth: number): number => {
  let members = 0
  let depth = 0
  const end = text.length
  for (let at = 0; at < end; at++) {
    switch (text.charCodeAt(at)) {
      case 34: {
        at = text.indexOf('"', at + 1)
        // A quote is escaped by an odd number of backslashes before it.
        while (text.charCodeAt(at - 1) === 92 && isEscaped(text, at)) at = text.indexOf('"', at + 1)
        break
      }
      case 58:
        members++
        break
      case 123:
      case 91:
        if (++depth > maxDepth) return -1
        break
      case 125:
      case 93:
        depth--
        break
      case 46:
        return -1
      case 69:
        return -1
      case 101: {
        const before = text.charCodeAt(at - 1)
        if (before >= 48 && before <= 57) return -1
        break
      }
    }
  }
  return members
}

const isEscaped = (text: string, quote: number): boolean => {
  let at = quote - 1
  while (text.charCodeAt(at) === 92) at--
  return (quote - at) % 2 === 0
}

const canonicalTime = (value: unknown): boolean =>
  typeof value === "string" &&
  value.length === 20 &&
  value.charCodeAt(19) === 90 &&
  value.charCodeAt(10) === 84 &&
  !Number.isNaN(parseTime(value))

const canonicalMicroTime = (value: unknown): boolean =>
  typeof value === "string" && value.length === 27 && value.charCodeAt(26) === 90 && isMicroTime(value)

/** Most quantities are among a few texts, which are parsed only once. */
const canonicalTexts = new Set<string>()
const MAX_TEXTS = 4096

const canonicalQuantity = (value: unknown): boolean => {
  if (typeof value !== "string") return false
  if (canonicalTexts.has(value)) return true
  const parsed = parseQuantity(value)
  if (Result.isFailure(parsed) || formatQuantity(parsed.success) !== value) return false
  if (canonicalTexts.size >= MAX_TEXTS) canonicalTexts.clear()
  canonicalTexts.add(value)
  return true
}

const isInt32 = (value: unknown): boolean => typeof value === "number" && value === (value | 0)

const cleanScalar = (scalar: Scalar, value: unknown): boolean => {
  switch (scalar) {
    case "string":
      return typeof value === "string"
    case "bool":
      return typeof value === "boolean"
    case "int32":
      return isInt32(value)
    case "int64":
      return Number.isSafeInteger(value)
    case "double":
      return typeof value === "number"
    case "IntOrString":
      return typeof value === "string" || isInt32(value)
    case "Time":
      return canonicalTime(value)
    case "MicroTime":
      return canonicalMicroTime(value)
    case "Quantity":
      return canonicalQuantity(value)
    case "bytes":
      return typeof value === "string" && base64Fault(value) === -1
    default:
      return false
  }
}

/** Walks a value by its type and counts its members; `odd` once anything differs from what Go would write. */
export class CleanWalk {
  members = 0
  odd = false
  /** Fields that Go always writes are missing; the value is otherwise as Go writes it. */
  lacking = false
  private readonly counts: boolean

  /** `counts`: counts the members of all values, to compare them with the text's; otherwise only of typed values. */
  constructor(counts: boolean) {
    this.counts = counts
  }

  message(type: MessageType, value: unknown): void {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      this.odd = true
      return
    }
    const { fields } = type
    const object: Readonly<Record<string, unknown>> = value as Record<string, unknown>
    for (const name in object) {
      this.members++
      const field = fields.get(name)
      if (field !== undefined) {
        const member = object[name]
        const before = this.members
        if (member !== null || !nullable(field)) this.value(field.type, member)
        // A map whose members were counted is not empty: looking for a first member would list all of them.
        if (this.members === before && leftOut(field, member)) this.odd = true
      } else if (type.preserveUnknown === true) {
        if (this.counts) this.count(object[name])
      } else if (type.gvk === undefined || (name !== "kind" && name !== "apiVersion")) this.odd = true
      else if (typeof object[name] !== "string") this.odd = true
      if (this.odd) return
    }
    for (const [name] of alwaysWritten(type)) if (object[name] === undefined) this.lacking = true
  }

  private value(type: WireType, value: unknown): void {
    switch (type.type) {
      case "scalar":
        if (type.scalar === "any" || type.scalar === "FieldsV1" || type.scalar === "RawExtension") this.free(value)
        else if (!cleanScalar(type.scalar, value)) this.odd = true
        return
      case "message":
        this.message(type.message, value)
        return
      case "list":
        if (!Array.isArray(value)) this.odd = true
        else for (const item of value) this.value(type.items, item)
        return
      case "map":
        if (typeof value !== "object" || value === null || Array.isArray(value)) {
          this.odd = true
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
    if (value === null) this.odd = true
    else if (this.counts) this.count(value)
  }

  private count(value: unknown): void {
    if (typeof value !== "object" || value === null) return
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
