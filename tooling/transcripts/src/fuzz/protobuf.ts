import type { Json } from "../Case.ts"
import type { Random } from "./Random.ts"

/** "k8s" and a zero byte, before each object. */
const MAGIC = Buffer.from("k8s\0", "latin1")

interface Varint {
  readonly value: bigint
  readonly end: number
}

const varintAt = (bytes: Buffer, start: number): Varint | undefined => {
  let value = 0n
  for (let at = start; at < bytes.length && at < start + 10; at++) {
    const byte = bytes[at] ?? 0
    value |= BigInt(byte & 0x7f) << BigInt(7 * (at - start))
    if (byte < 0x80) return { value, end: at + 1 }
  }
  return undefined
}

const isText = (bytes: Buffer): boolean => bytes.every((byte) => byte >= 0x20 && byte < 0x7f)

const FIRST_TIME = 1_600_000_000

/** Returns what does not depend on the run: times and ports that a server chose are of no interest. */
const shown = (value: Json, number: number): Json => {
  if (typeof value === "number" && number === 5 && value >= 30_000 && value < 32_768) return "<PORT>"
  return value
}

const isZero = (value: Json): boolean => value === 0 || value === "" || JSON.stringify(value) === "{}"

/** Returns fields without zeros, which Go writes and others leave out. */
const withoutZeros = (fields: Record<string, ReadonlyArray<Json>>): Json => {
  const kept = Object.entries(fields).map(
    ([number, values]) => [number, values.filter((each) => !isZero(each))] as const
  )
  return Object.fromEntries(kept.filter(([, values]) => values.length > 0))
}

const withoutRun = (fields: Record<string, ReadonlyArray<Json>>): Json => {
  const [seconds] = fields[1] ?? []
  const isTime = typeof seconds === "number" && seconds > FIRST_TIME && Object.keys(fields).length <= 2
  return isTime ? "<TIME>" : withoutZeros(fields)
}

/** Reads a message without its schema; undefined if the bytes are none. */
const messageIn = (bytes: Buffer): Json | undefined => {
  const fields: Record<string, Array<Json>> = {}
  for (let at = 0; at < bytes.length; ) {
    const tag = varintAt(bytes, at)
    if (tag === undefined) return undefined
    const [number, wire] = [Number(tag.value >> 3n), Number(tag.value & 7n)]
    if (number === 0 || number > 1000) return undefined
    const values = fields[number] ?? []
    fields[number] = values
    if (wire === 0) {
      const varint = varintAt(bytes, tag.end)
      if (varint === undefined) return undefined
      values.push(shown(Number(varint.value), number))
      at = varint.end
    } else if (wire === 2) {
      const length = varintAt(bytes, tag.end)
      const end = length === undefined ? -1 : length.end + Number(length.value)
      if (length === undefined || end > bytes.length) return undefined
      values.push(contentOf(bytes.subarray(length.end, end)))
      at = end
    } else if (wire === 1 || wire === 5) {
      const end = tag.end + (wire === 1 ? 8 : 4)
      if (end > bytes.length) return undefined
      values.push(bytes.subarray(tag.end, end).toString("hex"))
      at = end
    } else return undefined
  }
  return withoutRun(fields)
}

const contentOf = (bytes: Buffer): Json =>
  (isText(bytes) ? undefined : (protobufTree(bytes) ?? messageIn(bytes))) ?? withoutRevision(bytes.toString("latin1"))

/** Revisions are the only texts that are numbers of this length. */
const withoutRevision = (text: string): string => (/^\d{2,7}$/.test(text) ? "<RV>" : text)

/** Returns an object in protobuf as a tree of its fields by number; undefined for other bytes. */
export const protobufTree = (bytes: Buffer): Json | undefined =>
  bytes.subarray(0, MAGIC.length).equals(MAGIC) ? messageIn(bytes.subarray(MAGIC.length)) : undefined

const LENGTH_BYTES = 4

/** Returns the events of a watch in protobuf, each after its length, as trees; undefined for other bytes. */
export const protobufEvents = (bytes: Buffer): Json | undefined => {
  const events: Array<Json> = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + LENGTH_BYTES + (at + LENGTH_BYTES > bytes.length ? 0 : bytes.readUInt32BE(at))
    const event = end > bytes.length ? undefined : messageIn(bytes.subarray(at + LENGTH_BYTES, end))
    if (event === undefined) return undefined
    events.push(event)
    at = end
  }
  return events
}

/** Returns the bytes cut off, with others at their end, or with another byte somewhere. */
export const damagedBytes = (random: Random, bytes: Buffer): Buffer => {
  const at = random.below(bytes.length)
  const changed = Buffer.from(bytes)
  changed[at] = random.below(128)
  return random.pick([bytes.subarray(0, at), Buffer.concat([bytes, bytes.subarray(at)]), changed, changed, changed])
}
