import { crc32 } from "node:zlib"
import type { Revision } from "@rollcall/store"
import type { Sequence } from "./rows.ts"

/** The checksum of a row: what a disk does to a value shows, even where it is still JSON. CRC-32 of all columns. */
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
