import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { decodeText } from "../src/decodeText.ts"
import { TextFileError } from "../src/index.ts"

const TEXT = '{ "kind": "Pod", "é": "日本" }\n'
const LIMIT = 256

const utf16 = (text: string, isBigEndian: boolean): Buffer => {
  const bytes = Buffer.from(`\uFEFF${text}`, "utf16le")
  return isBigEndian ? bytes.swap16() : bytes
}

const messageOf = (bytes: Uint8Array): string => {
  try {
    return decodeText(bytes, LIMIT)
  } catch (error) {
    return error instanceof TextFileError ? error.message : String(error)
  }
}

describe("decodeText", () => {
  const encoded: ReadonlyArray<readonly [string, Uint8Array]> = [
    ["UTF-8", Buffer.from(TEXT)],
    ["UTF-8 with a byte-order mark", Buffer.from(`\uFEFF${TEXT}`)],
    ["UTF-16, little end first, as PowerShell writes", utf16(TEXT, false)],
    ["UTF-16, big end first", utf16(TEXT, true)],
    ["gzip", gzipSync(TEXT)],
    ["gzip of UTF-16", gzipSync(utf16(TEXT, false))]
  ]
  for (const [name, bytes] of encoded) {
    it(`decodes ${name}`, () => assert.strictEqual(decodeText(bytes, LIMIT), TEXT))
  }

  it("refuses what cannot be unpacked, and unpacks no more than the limit", () => {
    const packed = gzipSync(TEXT)
    assert.match(messageOf(packed.subarray(0, 20)), /^is packed with gzip, but cannot be unpacked: unexpected end/)
    assert.strictEqual(messageOf(gzipSync("x".repeat(1 << 20))), "is too long: at most 256 bytes are read")
    assert.lengthOf(messageOf(gzipSync("x".repeat(LIMIT))), LIMIT)
  })
})
