import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire"
import {
  type MessageType,
  markStrayBytes,
  parseJson,
  rawText,
  rememberText,
  wireTypeOfGvk,
  withoutLoneSurrogates
} from "@rollcall/api/wire"
import type { Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import { eachField, expectWire, MalformedProtobuf, skipValue, throwMalformed, WireType as Wire } from "./Bytes.ts"
import { goString, TextReader } from "./goString.ts"
import { readMessage } from "./readMessage.ts"
import { writeMessage } from "./writeMessage.ts"

/**
 * The envelope of each object in protobuf: four magic bytes and a message runtime.Unknown, which has the kind in its
 * TypeMeta and the encoded object in `raw`.
 * Upstream: apimachinery/pkg/runtime/serializer/protobuf/protobuf.go.
 */
export interface Envelope {
  readonly apiVersion: string
  readonly kind: string
  readonly raw: Uint8Array
}

/** "k8s" and a zero byte. */
const magic = Uint8Array.of(0x6b, 0x38, 0x73, 0x00)

const isEnveloped = (bytes: Uint8Array): boolean =>
  bytes.length >= magic.length && magic.every((byte, index) => bytes[index] === byte)

/** Runs a reader on untrusted bytes; an error becomes a failure with its message. */
const catchMalformed = <A>(read: () => A): Result.Result<A, string> => {
  try {
    return Result.succeed(read())
  } catch (error) {
    if (error instanceof MalformedProtobuf) return Result.fail(error.message)
    if (error instanceof RangeError) return Result.fail("unexpected EOF")
    if (error instanceof Error) return Result.fail(`proto: ${error.message}`)
    throw error
  }
}

const readTypeMeta = (bytes: Uint8Array, depth: number): { apiVersion: string; kind: string } => {
  const meta = { apiVersion: "", kind: "" }
  eachField(bytes, depth, "TypeMeta", (number, wire, reader) => {
    if (number !== 1 && number !== 2) {
      skipValue(reader, wire)
      return
    }
    const name = number === 1 ? "apiVersion" : "kind"
    expectWire(wire, Wire.LengthDelimited, name)
    meta[name] = goString(reader.bytes())
  })
  return isGroupVersion(meta.apiVersion) ? meta : { ...meta, apiVersion: "" }
}

/** Go takes any other text for none here, where JSON is refused. Upstream: schema.FromAPIVersionAndKind. */
const isGroupVersion = (apiVersion: string): boolean => apiVersion.indexOf("/") === apiVersion.lastIndexOf("/")

/** The fields of runtime.Unknown, by number from 1. */
const unknownFields: ReadonlyArray<string> = ["TypeMeta", "Raw", "ContentEncoding", "ContentType"]

/** Opens an envelope at a nesting depth. Throws if it is malformed. */
const openAt = (bytes: Uint8Array, depth: number): Envelope => {
  let meta = { apiVersion: "", kind: "" }
  let raw: Uint8Array = new Uint8Array()
  eachField(bytes.subarray(magic.length), depth, "Unknown", (number, wire, reader) => {
    const name = unknownFields[number - 1]
    if (name === undefined) {
      skipValue(reader, wire)
      return
    }
    expectWire(wire, Wire.LengthDelimited, name)
    const content = reader.bytes()
    if (number === 1) meta = readTypeMeta(content, depth + 1)
    else if (number === 2) raw = content
  })
  return { ...meta, raw }
}

/** Opens the envelope of a body; fails with upstream's message. */
export const openEnvelope = (bytes: Uint8Array): Result.Result<Envelope, string> => {
  if (bytes.length === 0) return Result.fail("empty data")
  if (!isEnveloped(bytes)) {
    return Result.fail(
      `provided data does not appear to be a protobuf message, expected prefix [${Array.from(magic).join(" ")}]`
    )
  }
  if (bytes.length === magic.length) return Result.fail("empty body")
  return catchMalformed(() => openAt(bytes, 0))
}

/** Splits an apiVersion into group and version. */
const groupVersionOf = (apiVersion: string): { readonly group: string; readonly version: string } => {
  const slash = apiVersion.indexOf("/")
  return slash < 0
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}

/** Reads the object of a RawExtension: JSON, or another envelope. */
const readEmbedded = (bytes: Uint8Array, depth: number, texts: TextReader): unknown => {
  if (bytes.length === 0) return undefined
  if (!isEnveloped(bytes)) {
    const text = withoutLoneSurrogates(Buffer.from(bytes).toString("utf8"))
    const parsed = parseJson(text)
    if (Result.isFailure(parsed)) return throwMalformed("proto: raw extension is neither JSON nor an object")
    rememberText(parsed.success, text)
    return parsed.success
  }
  const { apiVersion, kind, raw } = openAt(bytes, depth)
  const type = wireTypeOfGvk({ ...groupVersionOf(apiVersion), kind })
  if (type === undefined) return throwMalformed(`proto: raw extension of unknown kind ${JSON.stringify(kind)}`)
  return { kind, apiVersion, ...readMessage(type, raw, { texts, embedded: readEmbedded }, depth + 1) }
}

/** Decodes the message in an envelope to JSON, without apiVersion and kind. Texts may have bytes that are no UTF-8. */
export const readRaw = (type: MessageType, raw: Uint8Array): Result.Result<Readonly<Record<string, unknown>>, string> =>
  catchMalformed(() => {
    const texts = new TextReader()
    const value = readMessage(type, raw, { texts, embedded: readEmbedded })
    return texts.hasStrayBytes ? markStrayBytes(type, value) : value
  })

/** Go writes the text as it came. */
const writeEmbedded = (value: unknown): Uint8Array => Buffer.from(rawText(value) ?? "null")

/** Encodes a message without an envelope. */
const writeRaw = (type: MessageType, value: unknown): Uint8Array => writeMessage(type, value, writeEmbedded)

/** Returns the type of an object with its apiVersion and kind; undefined if the kind has no protobuf form. */
const typeOf = (object: unknown): { readonly type: MessageType; readonly names: TypeMeta } | undefined => {
  if (typeof object !== "object" || object === null) return undefined
  const { apiVersion = "", kind } = object as { readonly apiVersion?: unknown; readonly kind?: unknown }
  if (typeof apiVersion !== "string" || typeof kind !== "string") return undefined
  // The documents of the core group have no version.
  const type = wireTypeOfGvk({ ...groupVersionOf(apiVersion === "" ? "v1" : apiVersion), kind })
  return type === undefined ? undefined : { type, names: { apiVersion, kind } }
}

interface TypeMeta {
  readonly apiVersion: string
  readonly kind: string
}

/** Encodes an object in its envelope; returns undefined if the kind has no protobuf form. */
export const writeEnvelope = (object: unknown): Uint8Array | undefined => {
  const found = typeOf(object)
  return found === undefined ? undefined : enclose(found.names, writeRaw(found.type, object))
}

interface LongList {
  readonly items: ReadonlyArray<unknown>
}

/** The number of items written between two yields. */
const ITEMS_PER_STEP = 256

/** Whether the object is a list with more items than one step writes: `writeListEnvelopeInSteps` encodes it. */
export const isLongList = (object: unknown): object is LongList =>
  typeof object === "object" &&
  object !== null &&
  "items" in object &&
  Array.isArray(object.items) &&
  object.items.length > ITEMS_PER_STEP

/**
 * Encodes a list as `writeEnvelope` does, but in steps. Items are at the end of an encoded list, one field each, so the
 * encodings of several parts of the list can be concatenated.
 */
export const writeListEnvelopeInSteps = function* (list: LongList): Steps<Uint8Array | undefined> {
  const found = typeOf(list)
  if (found === undefined) return undefined
  const { items, ...head } = list
  const parts = [writeRaw(found.type, head)]
  for (let at = 0; at < items.length; at += ITEMS_PER_STEP) {
    parts.push(writeRaw(found.type, { items: items.slice(at, at + ITEMS_PER_STEP) }))
    yield
  }
  return enclose(found.names, Buffer.concat(parts))
}

/** Field numbers of runtime.Unknown (apimachinery/pkg/runtime/generated.proto) and of its TypeMeta. */
const TYPE_META = 1
const API_VERSION = 1
const KIND = 2
const RAW = 2
const CONTENT_ENCODING = 3
const CONTENT_TYPE = 4

const enclose = ({ apiVersion, kind }: TypeMeta, raw: Uint8Array): Uint8Array => {
  const out = new BinaryWriter().raw(magic)
  out.tag(TYPE_META, WireType.LengthDelimited).fork()
  out.tag(API_VERSION, WireType.LengthDelimited).string(apiVersion)
  out.tag(KIND, WireType.LengthDelimited).string(kind).join()
  out.tag(RAW, WireType.LengthDelimited).bytes(raw)
  // Go's generated code also writes these fields when they are empty.
  out.tag(CONTENT_ENCODING, WireType.LengthDelimited).string("")
  return out.tag(CONTENT_TYPE, WireType.LengthDelimited).string("").finish()
}
