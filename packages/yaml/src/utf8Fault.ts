import { isUtf8 } from "node:buffer"

/** The octets of a character: the mask and the mark of the first one, and the least code that needs so many. */
const forms = [
  [0x80, 0x00, 0x00],
  [0xe0, 0xc0, 0x80],
  [0xf0, 0xe0, 0x800],
  [0xf8, 0xf0, 0x10000]
] as const

const LAST_CODE = 0x10ffff
const isTrailing = (octet: number): boolean => (octet & 0xc0) === 0x80

/** Returns goyaml's error for octets that are no UTF-8; undefined if they are. Upstream: go.yaml.in/yaml/v2, readerc.go. */
export const utf8Fault = (bytes: Uint8Array): string | undefined => {
  if (isUtf8(bytes)) return undefined
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0
    const width = forms.findIndex(([mask, mark]) => (first & mask) === mark) + 1
    const form = forms[width - 1]
    if (form === undefined) return "yaml: invalid leading UTF-8 octet"
    if (at + width > bytes.length) return "yaml: incomplete UTF-8 octet sequence"
    let code = first & ~form[0]
    for (const octet of bytes.subarray(at + 1, at + width)) {
      if (!isTrailing(octet)) return "yaml: invalid trailing UTF-8 octet"
      code = code * 64 + (octet & 0x3f)
    }
    if (code < form[2]) return "yaml: invalid length of a UTF-8 sequence"
    if ((code >= 0xd800 && code <= 0xdfff) || code > LAST_CODE) return "yaml: invalid Unicode character"
    at += width
  }
  return undefined
}
