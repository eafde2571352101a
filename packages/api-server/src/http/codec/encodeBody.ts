import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire"
import { escapeHtml } from "@rollcall/api"
import { isLongList, writeEnvelope, writeListEnvelopeInSteps } from "@rollcall/protobuf"
import { type MaybeSteps, runAllSteps } from "@rollcall/time"
import { writeYamlInSteps } from "@rollcall/yaml"
import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from "../request/mediaTypes.ts"

/**
 * Encodes an object, list or Status as a body of the media type. Returns undefined if it cannot be encoded in that
 * type (a Table or a custom resource in protobuf); the caller answers 406 then. Long bodies (in YAML, and long lists in
 * protobuf) are encoded in steps, so that other requests can run in between. JSON is not: JSON.stringify cannot pause.
 * Upstream: apimachinery/pkg/runtime/serializer.
 */
export const encodeBodyInSteps = (mediaType: string, object: unknown): MaybeSteps<string | Uint8Array | undefined> => {
  switch (mediaType) {
    case JSON_TYPE:
      return `${escapeHtml(JSON.stringify(object))}\n`
    case YAML_TYPE:
      return writeYamlInSteps(object)
    case PROTOBUF_TYPE:
      return isLongList(object) ? writeListEnvelopeInSteps(object) : writeEnvelope(object)
    default:
      return undefined
  }
}

/** Does the work of `encodeBodyInSteps` in one piece, without pauses. */
export const encodeBody = (mediaType: string, object: unknown): string | Uint8Array | undefined =>
  runAllSteps(encodeBodyInSteps(mediaType, object))

/**
 * Encodes an event of a watch stream in protobuf: a frame of four bytes with the length (big-endian) and the message
 * WatchEvent. Returns undefined if the object has no protobuf form. Upstream:
 * apimachinery/pkg/util/framer/framer.go.
 */
export const encodeWatchFrame = (type: string, object: unknown): Uint8Array | undefined => {
  const encoded = writeEnvelope(object)
  return encoded === undefined ? undefined : watchFrame(type, encoded)
}

/** Field numbers of WatchEvent (meta/v1/generated.proto) and of RawExtension (runtime/generated.proto). */
const WATCH_EVENT_TYPE = 1
const WATCH_EVENT_OBJECT = 2
const RAW_EXTENSION_RAW = 1

/** The size of the length before each frame. */
const LENGTH_BYTES = 4

const watchFrame = (type: string, enveloped: Uint8Array): Uint8Array => {
  const out = new BinaryWriter()
  out.tag(WATCH_EVENT_TYPE, WireType.LengthDelimited).string(type)
  out.tag(WATCH_EVENT_OBJECT, WireType.LengthDelimited).fork()
  out.tag(RAW_EXTENSION_RAW, WireType.LengthDelimited).bytes(enveloped).join()
  const event = out.finish()
  const frame = new Uint8Array(event.length + LENGTH_BYTES)
  new DataView(frame.buffer).setUint32(0, event.length)
  frame.set(event, LENGTH_BYTES)
  return frame
}
