import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { TraceEntry, TraceFields, TraceType } from "./TraceEntry.ts"

/** Collects entries in the order in which they happen, tells them to a listener, and digests them as it goes. */
export interface Trace {
  readonly add: <Type extends TraceType>(type: Type, fields: TraceFields[Type]) => void
  readonly entries: () => ReadonlyArray<TraceEntry>
  /** `sha256:…` over the JSON lines so far. */
  readonly digest: () => string
}

export const makeTrace = (options: {
  /** Virtual milliseconds since the start. */
  readonly elapsedMs: () => number
  readonly onEntry?: ((entry: TraceEntry) => void) | undefined
}): Trace => {
  const entries: Array<TraceEntry> = []
  const hash = sha256.create()
  return {
    add: (type, fields) => {
      const entry = { at: Math.round(options.elapsedMs()) / 1000, type, ...fields } as TraceEntry
      entries.push(entry)
      hash.update(utf8ToBytes(`${JSON.stringify(entry)}\n`))
      options.onEntry?.(entry)
    },
    entries: () => entries,
    digest: () => `sha256:${bytesToHex(hash.clone().digest())}`
  }
}
