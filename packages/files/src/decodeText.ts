import { gunzipSync } from "node:zlib"
import { damagedGzipError, type TextFileError, tooLongError } from "./TextFileError.ts"

/** The byte-order marks of the encodings of Unicode that YAML files may have; PowerShell writes UTF-16 by default. */
const marks = [
  { bytes: [0xff, 0xfe], encoding: "utf-16le" },
  { bytes: [0xfe, 0xff], encoding: "utf-16be" }
] as const
const GZIP = [0x1f, 0x8b]

const startsWith = (bytes: Uint8Array, start: ReadonlyArray<number>): boolean =>
  start.every((byte, index) => bytes[index] === byte)

const gunzipError = (cause: unknown, limitBytes: number): TextFileError => {
  const { code, message } = cause as NodeJS.ErrnoException
  return code === "ERR_BUFFER_TOO_LARGE" ? tooLongError(limitBytes) : damagedGzipError(message)
}

const unpacked = (bytes: Uint8Array, limitBytes: number): Uint8Array => {
  if (!startsWith(bytes, GZIP)) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: limitBytes })
  } catch (cause) {
    throw gunzipError(cause, limitBytes)
  }
}

/**
 * Decodes the text of a file: UTF-8, or UTF-16 with a byte-order mark, which is removed; a file packed with gzip is unpacked first. Throws
 * `TextFileError` if the text has more than `limitBytes` or cannot be unpacked.
 */
export const decodeText = (bytes: Uint8Array, limitBytes: number): string => {
  const text = unpacked(bytes, limitBytes)
  const encoding = marks.find((mark) => startsWith(text, mark.bytes))?.encoding ?? "utf-8"
  return new TextDecoder(encoding).decode(text)
}
