import { crc32 } from "node:zlib"
import type { Revision } from "@rollcall/store"
import type { Sequence } from "./rows.ts"

/**
 * Returns the checksum of a row, CRC-32 of all columns: it reveals a corrupted value even when that is still valid
 * JSON.
 */
export const rowSum = (
  sequence: Sequence,
  revision: Revision,
  created: Revision,
  previous: Sequence,
  key: string,
  value: string | null
): number => {
  const head = crc32(`${sequence},${revision},${created},${previous},${value === null ? "-" : "+"}${key}`)
  return value === null ? head : crc32(value, head)
}
