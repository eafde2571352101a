import { encodeBody } from "../codec/index.ts"
import { type Encoding, mediaTypeOf } from "./mediaTypes.ts"

/** A value on the wire; undefined when it has no such form. */
export const encodeValue = (value: unknown, encoding: Encoding, pretty: boolean): Buffer | string | undefined => {
  if (encoding === "json") return pretty ? JSON.stringify(value, undefined, 2) : `${JSON.stringify(value)}\n`
  const encoded = encodeBody(mediaTypeOf[encoding], value)
  if (encoded === undefined) return undefined
  return typeof encoded === "string" ? encoded : Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength)
}
