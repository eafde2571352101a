import {
  type Entry,
  type RangeOptions,
  type RangePage,
  type Revision,
  StoreCompacted,
  StoreFailure
} from "@rollcall/store"
import * as Effect from "effect/Effect"
import type { RangeResponse } from "../generated/etcd_pb.ts"
import type { Endpoints } from "./Endpoints.ts"
import { entryOf } from "./entries.ts"
import { type Failure, unanswered } from "./errors.ts"
import { type KeySpace, rangeOf, storeKeyOf } from "./keys.ts"

/** The most keys that are read with one call. Upstream reads 500 to 10,000: storage/etcd3/store.go. */
const CHUNK_KEYS = 1000

export interface ReaderParts {
  readonly endpoints: Endpoints
  readonly space: KeySpace
  readonly timeoutMs: number
  readonly sawRevision: (revision: Revision) => void
}

interface Question {
  readonly key: Uint8Array
  readonly rangeEnd?: Uint8Array
  readonly limit?: bigint
  readonly revision?: bigint
  readonly countOnly?: boolean
}

/** Asks etcd for keys; the answer is at least as new as the call. */
export const ask = (
  { endpoints, sawRevision, timeoutMs }: ReaderParts,
  question: Question
): Effect.Effect<RangeResponse, Failure> =>
  Effect.tap(
    endpoints.ask({ timeoutMs, isRepeatable: true, send: ({ range }, options) => range(question, options) }),
    (answer) => Effect.sync(() => sawRevision(revisionOf(answer)))
  )

export const revisionOf = ({ header }: RangeResponse): Revision => Number(header?.revision ?? 0n)

/** Returns the failure of a read for the caller of the store. */
export const readFailure = ({ endpoints, timeoutMs }: ReaderParts, failure: Failure): StoreFailure =>
  new StoreFailure({
    message: failure.type === "refused" ? failure.message : unanswered(endpoints.urls, timeoutMs, failure, false)
  })

/** A page of a prefix that has no keys in etcd, whatever is written. */
const emptyPage = (revision: Revision): RangePage => ({ entries: [], revision, remaining: 0 })

/** Reads the keys of a prefix, in chunks of one revision. `oldest` is the oldest revision that can be read. */
export const readRange = Effect.fnUntraced(function* (
  parts: ReaderParts,
  prefix: string,
  { after, limit = Number.POSITIVE_INFINITY, revision }: RangeOptions,
  oldest: () => Revision
) {
  const { space } = parts
  const entries: Array<Entry> = []
  let at = revision
  let last = after
  while (true) {
    const range = rangeOf(space, prefix, last)
    if (at !== undefined && at < oldest()) return yield* new StoreCompacted({ requested: at, oldest: oldest() })
    const wanted = Math.min(CHUNK_KEYS, limit - entries.length)
    const answer = yield* ask(parts, {
      key: range?.key ?? Uint8Array.of(0),
      ...(range === undefined ? {} : { rangeEnd: range.end }),
      // etcd takes 0 for the newest revision, and begins with 1.
      ...(at === undefined ? {} : { revision: BigInt(Math.max(1, at)) }),
      ...(wanted > 0 ? { limit: BigInt(wanted) } : { countOnly: true })
    }).pipe(
      Effect.mapError((failure) =>
        failure.type === "compacted"
          ? new StoreCompacted({ requested: at ?? 0, oldest: Math.max(oldest(), (at ?? 0) + 1) })
          : readFailure(parts, failure)
      )
    )
    at ??= revisionOf(answer)
    if (range === undefined) return emptyPage(at)
    for (const kv of answer.kvs) entries.push(entryOf(storeKeyOf(space, kv.key), kv))
    last = entries[entries.length - 1]?.key
    if (!answer.more || entries.length >= limit) {
      const remaining = limit === Number.POSITIVE_INFINITY ? 0 : Number(answer.count) - answer.kvs.length
      return { entries, revision: at, remaining }
    }
  }
})
