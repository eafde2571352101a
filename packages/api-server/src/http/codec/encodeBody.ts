import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire"
import { type MaybeSteps, runAllSteps } from "../../core/turns/Steps.ts"
import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from "../request/mediaTypes.ts"
import { isLongList, writeEnvelope, writeListEnvelopeInSteps } from "./protobuf/envelope.ts"
import { writeYamlInSteps } from "./writeYaml.ts"

/**
 * Encodes an object (or list, or Status) as a body of the media type. Undefined: it has no such form (a Table or a
 * custom resource in protobuf), and the client must request another. Upstream: apimachinery/pkg/runtime/serializer.
 */
export const encodeBodyInSteps = (mediaType: string, object: unknown): MaybeSteps<string | Uint8Array | undefined> => {
  switch (mediaType) {
    case JSON_TYPE:
      return `${JSON.stringify(object)}\n`
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

/** Encodes an event of a watch stream in protobuf: a length and a WatchEvent. Undefined as in encodeBody. */
export const encodeWatchFrame = (type: string, object: unknown): Uint8Array | undefined => {
  const encoded = writeEnvelope(object)
  return encoded === undefined ? undefined : watchFrame(type, encoded)
}

const watchFrame = (type: string, enveloped: Uint8Array): Uint8Array => {
  const out = new BinaryWriter()
  out.tag(1, WireType.LengthDelimited).string(type)
  out.tag(2, WireType.LengthDelimited).fork()
  out.tag(1, WireType.LengthDelimited).bytes(enveloped).join()
  const event = out.finish()
  const frame = new Uint8Array(event.length + 4)
  new DataView(frame.buffer).setUint32(0, event.length)
  frame.set(event, 4)
  return frame
}
