import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { TraceEntry, TraceFields, TraceType } from "./TraceEntry.ts"

/** Collects entries in the order in which they happen, tells them to those that listen, and digests them as it goes. */
export interface Trace {
  readonly add: <Type extends TraceType>(type: Type, fields: TraceFields[Type]) => void
  readonly entries: () => ReadonlyArray<TraceEntry>
  /** Tells of each entry from now on, as it is added. */
  readonly listen: (listener: (entry: TraceEntry) => void) => void
  /** `sha256:…` over the JSON lines so far. */
  readonly digest: () => string
}

/** An empty trace; `elapsedMs`: virtual milliseconds since the start. */
export const makeTrace = ({ elapsedMs }: { readonly elapsedMs: () => number }): Trace => {
  const entries: Array<TraceEntry> = []
  const listeners: Array<(entry: TraceEntry) => void> = []
  const hash = sha256.create()
  return {
    add: (type, fields) => {
      const entry = { at: Math.round(elapsedMs()) / 1000, type, ...fields } as TraceEntry
      entries.push(entry)
      hash.update(utf8ToBytes(`${JSON.stringify(entry)}\n`))
      for (const listener of listeners) listener(entry)
    },
    entries: () => entries,
    listen: (listener) => void listeners.push(listener),
    digest: () => `sha256:${bytesToHex(hash.clone().digest())}`
  }
}
