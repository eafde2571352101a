import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire"
import { parseDuration } from "@rollcall/api"
import { type Fields, isFields } from "@rollcall/api/values"
import { keptText, type MessageType, parseGoTime, type Scalar, type WireType as Type } from "@rollcall/api/wire"
import { type Plan, planOf } from "./plan.ts"
import { isJson, unionFields } from "./unions.ts"

/** Encodes the object of a RawExtension. */
export type WriteEmbedded = (value: unknown) => Uint8Array

/** Whether an object has a field of an embedded struct. */
const hasAny = ({ embedded, fields }: Plan, value: Fields): boolean =>
  [...fields.values()].some(({ name }) => value[name] !== undefined) ||
  [...embedded.values()].some((inner) => hasAny(inner, value))

class MessageWriter {
  private readonly out = new BinaryWriter()
  private readonly embedded: WriteEmbedded

  constructor(embedded: WriteEmbedded) {
    this.embedded = embedded
  }

  finish(): Uint8Array {
    return this.out.finish()
  }

  /** Writes the fields of a message. */
  fields(plan: Plan, value: Fields): void {
    for (const [number, inner] of plan.embedded) {
      if (!hasAny(inner, value)) continue
      this.nested(number, () => this.fields(inner, value))
    }
    for (const [number, { name, type }] of plan.fields) {
      const field = value[name]
      if (field !== undefined && field !== null) this.field(number, type, field)
    }
  }

  private nested(number: number, write: () => void): void {
    this.out.tag(number, WireType.LengthDelimited).fork()
    write()
    this.out.join()
  }

  private field(number: number, type: Type, value: unknown): void {
    switch (type.type) {
      case "scalar":
        if (type.union === undefined || isJson(type.union)) this.scalar(number, type.scalar, value)
        else this.union(number, type.union, value)
        return
      case "message":
        if (isFields(value)) this.nested(number, () => this.fields(planOf(type.message), value))
        return
      case "list":
        if (Array.isArray(value)) for (const item of value) this.element(number, type.items, item)
        return
      case "map":
        if (!isFields(value)) return
        // Go writes maps sorted.
        for (const key of Object.keys(value).sort()) {
          this.nested(number, () => {
            this.out.tag(1, WireType.LengthDelimited).string(key)
            this.element(2, type.values, value[key])
          })
        }
    }
  }

  private union(number: number, union: MessageType, value: unknown): void {
    this.nested(number, () => this.fields(planOf(union), unionFields(union, value)))
  }

  /** Writes an element of a list or map: a list or map within is a message with one field. */
  private element(number: number, type: Type, value: unknown): void {
    if (type.type === "list" || type.type === "map") this.nested(number, () => this.field(1, type, value))
    else this.field(number, type, value)
  }

  private scalar(number: number, scalar: Scalar, value: unknown): void {
    const { out } = this
    switch (scalar) {
      case "string":
        out.tag(number, WireType.LengthDelimited).string(String(value))
        return
      case "bool":
        out.tag(number, WireType.Varint).bool(value === true)
        return
      case "int32":
      case "int64":
        this.integer(number, value)
        return
      case "double":
        out.tag(number, WireType.Bit64).double(Number(value))
        return
      case "bytes":
        out.tag(number, WireType.LengthDelimited).bytes(Buffer.from(String(value), "base64"))
        return
      default:
        this.nested(number, () => this.messageScalar(scalar, value))
    }
  }

  private integer(number: number, value: unknown): void {
    const whole = typeof value === "bigint" ? value : int64(Number(value))
    this.out.tag(number, WireType.Varint).int64(whole)
  }

  /** Writes the scalars that are messages in protobuf. */
  private messageScalar(scalar: Scalar, value: unknown): void {
    const { out } = this
    switch (scalar) {
      case "Time":
      case "MicroTime": {
        const instant = parseGoTime(scalar, String(value))
        if (typeof instant === "string") return
        this.integer(1, instant.seconds)
        this.integer(2, scalar === "Time" ? 0 : instant.nanos)
        return
      }
      case "Duration":
        this.integer(1, Math.round(parseDuration(String(value)) * 1e6))
        return
      case "Quantity":
        out.tag(1, WireType.LengthDelimited).string(String(value))
        return
      case "IntOrString": {
        const isString = typeof value === "string"
        this.integer(1, isString ? 1 : 0)
        this.integer(2, isString ? 0 : value)
        out.tag(3, WireType.LengthDelimited).string(isString ? value : "")
        return
      }
      case "RawExtension":
        out.tag(1, WireType.LengthDelimited).bytes(this.embedded(value))
        return
      default:
        out.tag(1, WireType.LengthDelimited).bytes(Buffer.from(keptText(value) ?? JSON.stringify(value) ?? "null"))
    }
  }
}

/** Returns the number as an int64; 0 for what is no number. */
const int64 = (value: number): bigint => (Number.isFinite(value) ? BigInt.asIntN(64, BigInt(Math.trunc(value))) : 0n)

/** Encodes JSON as the bytes that Go would write. A value of a wrong type is omitted. */
export const writeMessage = (type: MessageType, value: unknown, embedded: WriteEmbedded): Uint8Array => {
  const writer = new MessageWriter(embedded)
  if (isFields(value)) writer.fields(planOf(type), value)
  return writer.finish()
}
