import { encodeBody } from "../codec/index.ts"
import { type Encoding, mediaTypeOf } from "./mediaTypes.ts"
import { listJson } from "./objectJson.ts"

/** A value on the wire; undefined when it has no such form. */
export const encodeValue = (value: unknown, encoding: Encoding, pretty: boolean): Buffer | string | undefined => {
  if (encoding === "json") return pretty ? JSON.stringify(value, undefined, 2) : compactJson(value)
  const encoded = encodeBody(mediaTypeOf[encoding], value)
  if (encoded === undefined) return undefined
  return typeof encoded === "string" ? encoded : Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength)
}

const compactJson = (value: unknown): string | Buffer => {
  const items = typeof value === "object" && value !== null && "items" in value ? value.items : undefined
  return Array.isArray(items) ? listJson(value as object, items) : `${JSON.stringify(value)}\n`
}
