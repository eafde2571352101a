import { createHash } from "node:crypto"
import { canonicalJson } from "@rollcall/api"
import { type InvalidInput, invalid } from "@rollcall/input"
import { type Operation, StoreFailure, type StoreShape } from "@rollcall/store"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { entriesOf, isEmpty, withoutVersion } from "./entries.ts"
import { type Line, linesOf } from "./exportFile.ts"

/** etcd takes 128 operations and 1.5 MB in one transaction; an object may have the most of it. */
const BATCH = 64
const BATCH_BYTES = 400_000
const WRITES_AT_ONCE = 8
/** Events are deleted as if they were new. Upstream: `--event-ttl`. */
const EVENTS = "/registry/events/"
const EVENT_TTL_MS = 3_600_000

const putOf = ({ key, value }: Line): Operation => ({
  type: "put",
  key,
  value,
  expect: 0,
  ...(key.startsWith(EVENTS) ? { ttlMs: EVENT_TTL_MS } : {})
})

const write = (store: StoreShape, batch: ReadonlyArray<Operation>) =>
  Effect.callback<number, StoreFailure>((resume) =>
    store.write(batch, (result) =>
      resume(
        Result.isSuccess(result)
          ? Effect.succeed(batch.length)
          : Effect.fail(new StoreFailure({ message: result.failure.message }))
      )
    )
  )

/** Divides lines into batches that one write may have. */
const batchesOf = (lines: ReadonlyArray<Line>): ReadonlyArray<ReadonlyArray<Operation>> => {
  const batches: Array<Array<Operation>> = []
  let bytes = Number.POSITIVE_INFINITY
  for (const line of lines) {
    const size = JSON.stringify(line.value).length
    if (bytes + size > BATCH_BYTES) {
      batches.push([])
      bytes = 0
    }
    batches.at(-1)?.push(putOf(line))
    bytes += size
  }
  return batches
}

const PARTLY = "the store has a part of the objects now: empty it before the next import"

/** Writes the objects of an export into an empty store. The whole file is checked before. Returns how many. */
export const importStore = Effect.fnUntraced(function* (
  store: StoreShape,
  file: string
): Effect.fn.Return<number, StoreFailure | InvalidInput> {
  if (!(yield* isEmpty(store))) return yield* invalid(file, "", "is not imported: the store has objects already")
  yield* Stream.runDrain(linesOf(file))
  return yield* linesOf(file).pipe(
    Stream.grouped(BATCH),
    Stream.flatMap((lines) => Stream.fromIterable(batchesOf(lines))),
    Stream.mapEffect((batch) => write(store, batch), { concurrency: WRITES_AT_ONCE }),
    Stream.runFold(
      () => 0,
      (sum, count) => sum + count
    ),
    Effect.mapError((error) =>
      error._tag === "StoreFailure" ? new StoreFailure({ message: `${error.message}; ${PARTLY}` }) : error
    )
  )
})

/** A digest of 16 bytes an object, so that a large store is compared without keeping it twice. */
const digestOf = (value: unknown): string =>
  createHash("sha256").update(canonicalJson(value)).digest("base64url").slice(0, 22)

/** What a store has otherwise than an export. */
export interface Difference {
  readonly key: string
  readonly is: "missing" | "different" | "additional"
}

/** Compares a store with an export, object by object. Returns how many are the same, and the first differences. */
export const verifyStore = Effect.fnUntraced(function* (
  store: StoreShape,
  file: string,
  most: number
): Effect.fn.Return<
  { same: number; differences: ReadonlyArray<Difference>; more: number },
  StoreFailure | InvalidInput
> {
  const stored = new Map<string, string>()
  yield* Stream.runForEach(entriesOf(store), (entries) =>
    Effect.sync(() => {
      for (const { key, value } of entries) stored.set(key, digestOf(value))
    })
  )
  const differences: Array<Difference> = []
  let [same, found] = [0, 0]
  const tell = (difference: Difference) => {
    found++
    if (differences.length < most) differences.push(difference)
  }
  yield* Stream.runForEach(linesOf(file), ({ key, value }) =>
    Effect.sync(() => {
      const digest = stored.get(key)
      stored.delete(key)
      if (digest === undefined) tell({ key, is: "missing" })
      else if (digest !== digestOf(withoutVersion(value))) tell({ key, is: "different" })
      else same++
    })
  )
  for (const key of stored.keys()) tell({ key, is: "additional" })
  return { same, differences, more: found - differences.length }
})
