import type { BinaryReader } from "@bufbuild/protobuf/wire"
import {
  alwaysWrittenFields,
  type FieldType,
  type MessageType,
  putMember,
  type WireType as Type
} from "@rollcall/api/wire"
import { eachField, eachFieldOfEntry, expectWire, skipValue, WireType } from "./Bytes.ts"
import { type Plan, planOf } from "./plan.ts"
import { type PartReaders, readScalar } from "./readScalar.ts"
import { isJson, unionValue } from "./unions.ts"

/** An object that is being read. */
type Out = Record<string, unknown>

const isZero = (value: unknown): boolean =>
  value === "" || value === 0 || value === false || (typeof value === "object" && value !== null && isEmpty(value))

const isEmpty = (value: object): boolean => {
  for (const _ in value) return false
  return true
}

const rawScalars: ReadonlySet<string> = new Set(["RawExtension", "any"])

class MessageReader {
  private readonly parts: PartReaders

  constructor(parts: PartReaders) {
    this.parts = parts
  }

  message(type: MessageType, bytes: Uint8Array, depth: number): Out {
    const out: Out = {}
    this.readFields(out, planOf(type), type.name, bytes, depth)
    for (const [name, zero] of alwaysWrittenFields(type)) if (out[name] === undefined) out[name] = zero
    return out
  }

  private readFields(out: Out, plan: Plan, owner: string, bytes: Uint8Array, depth: number): void {
    eachField(bytes, depth, owner, (number, wire, reader) => {
      const inner = plan.embedded.get(number)
      if (inner !== undefined) {
        expectWire(wire, WireType.LengthDelimited, String(number))
        this.readFields(out, inner, owner, reader.bytes(), depth + 1)
        return
      }
      const field = plan.fields.get(number)
      if (field === undefined) skipValue(reader, wire)
      else this.field(out, field, wire, reader, depth)
    })
  }

  private field(out: Out, field: FieldType, wire: WireType, reader: BinaryReader, depth: number): void {
    const { name, type } = field
    if (type.type === "list") {
      const list = (out[name] as Array<unknown> | undefined) ?? []
      this.item(list, type.items, wire, reader, name, depth)
      out[name] = list
      return
    }
    if (type.type === "map") {
      const map = (out[name] as Out | undefined) ?? {}
      this.entry(map, type.values, wire, reader, name, depth)
      out[name] = map
      return
    }
    const value = this.value(type, wire, reader, name, depth)
    if (value === undefined) return
    // Go's encoder writes zero values, too, which JSON omits, but not an empty object of any type. The last of several
    // values is used.
    const isRaw = type.type === "scalar" && rawScalars.has(type.scalar)
    if (!field.pointer && field.omitEmpty && !isRaw && isZero(value)) delete out[name]
    else out[name] = value
  }

  private value(type: Type, wire: WireType, reader: BinaryReader, name: string, depth: number): unknown {
    const union = type.type === "scalar" ? type.union : undefined
    if (type.type === "scalar" && (union === undefined || isJson(union))) {
      return readScalar(type.scalar, wire, reader, name, depth, this.parts)
    }
    // Go embeds metadata, whose field has the name of its type.
    const isEmbedded = name === "metadata" && type.type === "message"
    expectWire(wire, WireType.LengthDelimited, isEmbedded ? type.message.name : name)
    const bytes = reader.bytes()
    if (union !== undefined) return unionValue(union, this.message(union, bytes, depth + 1))
    if (type.type === "message") return this.message(type.message, bytes, depth + 1)
    return this.innerCollection(type, bytes, name, depth + 1)
  }

  /** Reads a list or map within a list or map: a message with one field. */
  private innerCollection(type: Type, bytes: Uint8Array, name: string, depth: number): unknown {
    const list: Array<unknown> = []
    const map: Out = {}
    eachField(bytes, depth, name, (number, wire, reader) => {
      if (number !== 1) skipValue(reader, wire)
      else if (type.type === "list") this.item(list, type.items, wire, reader, name, depth)
      else if (type.type === "map") this.entry(map, type.values, wire, reader, name, depth)
    })
    return type.type === "list" ? list : map
  }

  private item(
    list: Array<unknown>,
    type: Type,
    wire: WireType,
    reader: BinaryReader,
    name: string,
    depth: number
  ): void {
    // A list of numbers may also be one value with all of them ("packed"), as newer encoders write it.
    const isPacked =
      wire === WireType.LengthDelimited &&
      type.type === "scalar" &&
      (type.scalar === "int32" || type.scalar === "int64" || type.scalar === "bool")
    if (!isPacked) {
      list.push(this.value(type, wire, reader, name, depth) ?? null)
      return
    }
    const end = reader.uint32() + reader.pos
    while (reader.pos < end) list.push(this.value(type, WireType.Varint, reader, name, depth))
  }

  private entry(map: Out, type: Type, wire: WireType, reader: BinaryReader, name: string, depth: number): void {
    expectWire(wire, WireType.LengthDelimited, name)
    let key = ""
    let value: unknown
    eachFieldOfEntry(reader, (number, entryWire) => {
      if (number === 1) key = this.parts.texts.read(reader.bytes())
      else if (number === 2) value = this.value(type, wireOf(type), reader, name, depth + 1)
      else skipValue(reader, entryWire)
    })
    putMember(map, key, value ?? zeroOf(type))
  }
}

const varints: ReadonlySet<string> = new Set(["bool", "int32", "int64"])

/** The wire type by which Go reads the value of a map entry, whatever the entry says. */
const wireOf = (type: Type): WireType => {
  if (type.type !== "scalar") return WireType.LengthDelimited
  if (varints.has(type.scalar)) return WireType.Varint
  return type.scalar === "double" ? WireType.Bit64 : WireType.LengthDelimited
}

/** Returns the value of a map entry without one. */
const zeroOf = (type: Type): unknown => {
  if (type.type === "message") return Object.fromEntries(alwaysWrittenFields(type.message))
  if (type.type === "list") return []
  if (type.type === "map") return {}
  switch (type.scalar) {
    case "string":
    case "bytes":
      return ""
    case "bool":
      return false
    case "Quantity":
      return "0"
    default:
      return 0
  }
}

/** Decodes bytes to the JSON that Go would produce. Throws MalformedProtobuf, or an error of the wire reader. */
export const readMessage = (type: MessageType, bytes: Uint8Array, parts: PartReaders, depth = 0): Out =>
  new MessageReader(parts).message(type, bytes, depth)
