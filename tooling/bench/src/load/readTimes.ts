import { nowMs } from "./renewals.ts"

const KEY = Buffer.from('"renewTime":"')
const TIME_LENGTH = "2026-01-01T00:00:00.000000Z".length

/** Returns where a key begins that the bytes cut; their length if they cut none. */
const cutKeyAt = (bytes: Buffer): number => {
  const { length } = bytes
  for (let at = Math.max(0, length - KEY.length + 1); at < length; at++)
    if (bytes.compare(KEY, 0, length - at, at) === 0) return at
  return length
}

/** Tells the times in what a watch reads, also those that one read begins and the next one ends, each with the time at which it was read. */
export const readTimes = (tell: (sentMs: number, readMs: number) => void) => {
  let rest: Buffer | undefined
  return (bytes: Buffer) => {
    const readMs = nowMs()
    const all = rest === undefined ? bytes : Buffer.concat([rest, bytes])
    rest = undefined
    let from = 0
    while (true) {
      const found = all.indexOf(KEY, from)
      const at = found < 0 ? cutKeyAt(all) : found
      const end = at + KEY.length + TIME_LENGTH
      if (end > all.length) {
        if (at < all.length) rest = Buffer.from(all.subarray(at))
        return
      }
      const text = all.toString("latin1", at + KEY.length, end)
      tell(Date.parse(`${text.slice(0, 23)}Z`) + Number(text.slice(23, 26)) / 1000, readMs)
      from = end
    }
  }
}
