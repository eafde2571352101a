import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { TraceEntry, TraceFields, TraceType } from "./TraceEntry.ts"

/** The entries of a run in order, and their digest. */
export interface Trace {
  /** Adds an entry with the current time and passes it to the listeners. */
  readonly add: <Type extends TraceType>(type: Type, fields: TraceFields[Type]) => void
  readonly entries: () => ReadonlyArray<TraceEntry>
  /** Calls the listener with each entry that is added from now on. */
  readonly listen: (listener: (entry: TraceEntry) => void) => void
  /** Returns `sha256:…` of the entries so far as JSON lines. */
  readonly digest: () => string
}

/** The number of characters that are hashed at once: a call for each entry costs more than the hash. */
const HASHED_AT_ONCE = 16_384

/** Returns an empty trace; `elapsedMs` returns the virtual milliseconds since the start. */
export const makeTrace = ({ elapsedMs }: { readonly elapsedMs: () => number }): Trace => {
  const entries: Array<TraceEntry> = []
  const listeners: Array<(entry: TraceEntry) => void> = []
  const hash = sha256.create()
  let unhashed = ""
  const hashAll = () => {
    hash.update(utf8ToBytes(unhashed))
    unhashed = ""
  }
  return {
    add: (type, fields) => {
      const entry = { at: Math.round(elapsedMs()) / 1000, type, ...fields } as TraceEntry
      entries.push(entry)
      unhashed += `${JSON.stringify(entry)}\n`
      if (unhashed.length >= HASHED_AT_ONCE) hashAll()
      for (const listener of listeners) listener(entry)
    },
    entries: () => entries,
    listen: (listener) => void listeners.push(listener),
    digest: () => {
      hashAll()
      return `sha256:${bytesToHex(hash.clone().digest())}`
    }
  }
}
