import { crc32 } from "node:zlib"
import type { Revision } from "@rollcall/store"
import type { NewRows, Sequence } from "./rows.ts"

/**
 * The record of what has been acknowledged: kept in a file beside the store's, where a loss of the write-ahead log
 * cannot affect it.
 */
export interface Mark {
  /** The identity of the store. */
  readonly identity: string
  readonly revision: Revision
  /** The newest row. */
  readonly sequence: Sequence
  /** The number of keys that are present. */
  readonly keys: number
  /** The sum of their row numbers, modulo 2^48: it changes when the set of rows changes. */
  readonly live: number
}

/**
 * A mark is written into two slots alternately, each within a disk sector: a torn write does not damage the other one.
 */
export const SLOT_BYTES = 512
export const SLOTS = 2

const MODULUS = 2 ** 48

/** Returns the mark after some rows have been appended. */
export const markAfter = (mark: Mark, { previous, revisions, sequences, values }: NewRows): Mark => {
  let { keys, live } = mark
  for (let at = 0; at < sequences.length; at++) {
    const superseded = previous[at] as Sequence
    const isPut = values[at] !== null
    if (isPut) live += sequences[at] as Sequence
    live -= superseded
    keys += (isPut ? 1 : 0) - (superseded === 0 ? 0 : 1)
  }
  const last = sequences.length - 1
  return {
    identity: mark.identity,
    revision: revisions[last] as Revision,
    sequence: sequences[last] as Sequence,
    keys,
    live: ((live % MODULUS) + MODULUS) % MODULUS
  }
}

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, "0")

/**
 * Encodes one slot: a line of JSON with its checksum, readable for people. `writes` is a counter: the slot with the
 * greater one is newer.
 */
export const encodeSlot = ({ identity, keys, live, revision, sequence }: Mark, writes: number): string => {
  const text = JSON.stringify({ store: identity, revision, sequence, keys, live, writes })
  return `${`${text} ${checksum(text)}`.padEnd(SLOT_BYTES - 1)}\n`
}

interface Slot {
  readonly mark: Mark
  readonly writes: number
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

const decodeSlot = (slot: string): Slot | undefined => {
  const line = slot.trimEnd()
  const text = line.slice(0, -9)
  if (line.slice(-9) !== ` ${checksum(text)}`) return undefined
  const { keys, live, revision, sequence, store, writes } = JSON.parse(text) as Record<string, unknown>
  if (typeof store !== "string") return undefined
  if (![keys, live, revision, sequence, writes].every(isCount)) return undefined
  const [ofKeys, ofLive, ofRevision, ofSequence] = [keys, live, revision, sequence] as [number, number, number, number]
  return {
    mark: { identity: store, revision: ofRevision, sequence: ofSequence, keys: ofKeys, live: ofLive },
    writes: writes as number
  }
}

/** Returns the newer of two slots; undefined when both are damaged. */
export const decodeSlots = (text: string): Slot | undefined => {
  const slots = Array.from({ length: SLOTS }, (_, at) => decodeSlot(text.slice(at * SLOT_BYTES, (at + 1) * SLOT_BYTES)))
  return slots.reduce((newest, slot) => ((slot?.writes ?? -1) > (newest?.writes ?? -1) ? slot : newest), undefined)
}
