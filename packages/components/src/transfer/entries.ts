import { isFields } from "@rollcall/api/values"
import type { Entry, RangeOptions, RangePage, StoredValue, StoreShape } from "@rollcall/store"
import { StoreFailure } from "@rollcall/store"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

const ROOT = "/registry/"
/** Keys of servers that run, which their next start makes anew. */
const OF_SERVERS = "/registry/masterleases/"
const PAGE = 500

const pageOf = (store: StoreShape, options: RangeOptions): Effect.Effect<RangePage, StoreFailure> =>
  Effect.callback((resume) =>
    store.range(ROOT, options, (result) => {
      if (Result.isSuccess(result)) return resume(Effect.succeed(result.success))
      resume(Effect.fail(new StoreFailure({ message: result.failure.message })))
    })
  )

/** Whether the store has no objects. */
export const isEmpty = (store: StoreShape): Effect.Effect<boolean, StoreFailure> =>
  Effect.map(pageOf(store, { limit: 1 }), ({ entries }) => entries.length === 0)

/** Returns a value without the resourceVersion of its object: each store has its own, and some leave a place for it. */
export const withoutVersion = (value: StoredValue): StoredValue => {
  if (!isFields(value) || !isFields(value.metadata) || !("resourceVersion" in value.metadata)) return value
  const { resourceVersion: _, ...metadata } = value.metadata
  return { ...value, metadata }
}

/** The objects of a store at one revision, in the order of their keys, a page in memory at a time. */
export const entriesOf = (store: StoreShape): Stream.Stream<ReadonlyArray<Entry>, StoreFailure> =>
  Stream.unfold<RangeOptions | undefined, ReadonlyArray<Entry>, StoreFailure, never>({ limit: PAGE }, (options) =>
    options === undefined
      ? Effect.succeed(undefined)
      : Effect.map(pageOf(store, options), ({ entries, remaining, revision }) => {
          const kept = entries
            .filter(({ key }) => !key.startsWith(OF_SERVERS))
            .map((entry) => ({ ...entry, value: withoutVersion(entry.value) }))
          const after = entries.at(-1)?.key
          const next = remaining > 0 && after !== undefined ? { limit: PAGE, revision, after } : undefined
          return [kept, next] as const
        })
  )
