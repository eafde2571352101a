/**
 * A process to be killed: `node writer.ts FILE ROUND HISTORY`. Writes all sorts of batches at once, and says on standard output, a
 * line of JSON each, what has been acknowledged.
 */
import type { Operation, StoreShape } from "@rollcall/store"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { openSqliteStore } from "../../src/index.ts"
import type { AcknowledgedWrite, WrittenValue } from "./rounds.ts"

const WRITERS = 24
const KEYS = 400

const [file = "", round = "0", history = "100000"] = process.argv.slice(2)

/** A linear congruential generator seeded by the round, so that rounds differ. */
let state = Number(round) * 7919 + 1
const randomBelow = (bound: number): number => {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
  return Math.floor(state / 65_536) % bound
}

/** Up to four keys; the value says what else is in the batch, so that half a batch is recognised. */
const batchOf = (id: string): ReadonlyArray<Operation> => {
  const first = randomBelow(KEYS)
  const puts = 1 + randomBelow(3)
  const keys = Array.from({ length: puts }, (_, offset) => `/k/${first + offset}`)
  const value: WrittenValue = { id, puts, filler: "y".repeat(randomBelow(900)) }
  const batch: Array<Operation> = keys.map((key) => ({ type: "put", key, value }))
  if (randomBelow(4) === 0) batch.push({ type: "delete", key: `/k/${first + puts}` })
  return batch
}

const keepWriting = (store: StoreShape, writer: number, count: number): void => {
  const id = `${round}.${writer}.${count}`
  const batch = batchOf(id)
  store.write(batch, (result) => {
    if (Result.isFailure(result)) throw new Error(String(result.failure))
    const told: AcknowledgedWrite = { revision: result.success, id, keys: batch.map(({ key }) => key) }
    process.stdout.write(`${JSON.stringify(told)}\n`)
    keepWriting(store, writer, count + 1)
  })
}

const program = Effect.gen(function* () {
  const store = yield* openSqliteStore({ file, historyRevisions: Number(history) })
  for (let writer = 0; writer < WRITERS; writer++) keepWriting(store, writer, 0)
  return yield* Effect.never
})

await Effect.runPromise(Effect.scoped(Effect.provide(program, layerWallClock())))
