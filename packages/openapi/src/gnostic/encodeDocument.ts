import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire"
import { isFields } from "@rollcall/api/values"
import type { Steps } from "@rollcall/time"
import { writeYaml } from "@rollcall/yaml"
import type { Json } from "../OpenApiKind.ts"
import type { OpenApiVersion } from "../Schemas.ts"
import { type GnosticMessage, gnosticMessages, type MessageField } from "./messages.ts"

const noMessage: GnosticMessage = { fields: [], isOneOf: false }

const scalars: ReadonlySet<string> = new Set(["string", "boolean", "integer", "number"])
const zeros: ReadonlySet<unknown> = new Set(["", false, 0])

/** Whether a value is what this field of a message that is one of several holds. */
const fits = (label: string, value: unknown): boolean => {
  if (label === "*" || label === typeof value) return true
  return isFields(value) && (label === "$ref" ? value.$ref !== undefined : value.in === label)
}

/** Writes the JSON of a document as protobuf. */
class DocumentWriter {
  readonly out = new BinaryWriter()
  private readonly messages: ReadonlyMap<string, GnosticMessage>

  constructor(version: OpenApiVersion) {
    this.messages = gnosticMessages(version)
  }

  /** Writes the fields of a message, with a pause after each entry of its maps and those of the messages within. */
  *messageInSteps(name: string, value: Json): Steps<void> {
    for (const field of this.messageNamed(name).fields) {
      const member = value[field.name]
      if (!isFields(member)) this.member(field, value)
      else if (field.entriesAt === undefined) {
        this.open(field.number)
        yield* this.messageInSteps(field.of, member)
        this.out.join()
      } else {
        this.open(field.number)
        for (const entry of Object.entries(member)) {
          this.entry(field.entriesAt, field.of, entry)
          yield
        }
        this.out.join()
      }
    }
  }

  private messageNamed(name: string): GnosticMessage {
    return this.messages.get(name) ?? noMessage
  }

  private open(number: number): void {
    this.out.tag(number, WireType.LengthDelimited).fork()
  }

  private message(name: string, value: unknown): void {
    const { fields, isOneOf } = this.messageNamed(name)
    if (isOneOf) {
      const field = fields.find((each) => fits(each.name, value))
      if (field?.isList) for (const item of [value].flat()) this.value(field, item)
      else if (field !== undefined) this.value(field, value)
      return
    }
    if (isFields(value)) for (const field of fields) this.member(field, value)
  }

  /** Writes a field of a message, if the value has it. As in proto3, zero values are not written. */
  private member(field: MessageField, value: Json): void {
    if (field.name === "x-*") {
      this.extensions(field, value)
      return
    }
    const member = value[field.name]
    if (member === undefined || (scalars.has(field.of) && zeros.has(member))) return
    if (field.isList) for (const item of [member].flat()) this.value(field, item)
    else this.value(field, member)
  }

  private extensions({ number, of }: MessageField, value: Json): void {
    for (const entry of Object.entries(value)) if (entry[0].startsWith("x-")) this.entry(number, of, entry)
  }

  /** Writes one of the messages with a name and a value. */
  private entry(number: number, of: string, [name, value]: readonly [string, unknown]): void {
    this.open(number)
    if (name !== "") this.out.tag(1, WireType.LengthDelimited).string(name)
    this.value({ number: 2, of }, value)
    this.out.join()
  }

  private value(field: Pick<MessageField, "number" | "of"> & Partial<MessageField>, value: unknown): void {
    const { entriesAt, number, of } = field
    switch (of) {
      case "string":
        this.out.tag(number, WireType.LengthDelimited).string(String(value))
        return
      case "boolean":
        this.out.tag(number, WireType.Varint).bool(value === true)
        return
      case "integer":
        this.out.tag(number, WireType.Varint).int64(Math.trunc(Number(value)))
        return
      case "number":
        this.out.tag(number, WireType.Bit64).double(Number(value))
        return
    }
    this.open(number)
    if (of === "any") this.out.tag(2, WireType.LengthDelimited).string(writeYaml(value))
    else if (entriesAt === undefined) this.message(of, value)
    else for (const entry of Object.entries(isFields(value) ? value : {})) this.entry(entriesAt, of, entry)
    this.out.join()
  }
}

/** Encodes a document in the form that client-go requests. Upstream: gnostic-models, ParseDocument of both versions. */
export const encodeDocument = function* (document: Json, version: OpenApiVersion): Steps<Uint8Array> {
  const writer = new DocumentWriter(version)
  yield* writer.messageInSteps("Document", document)
  return writer.out.finish()
}
