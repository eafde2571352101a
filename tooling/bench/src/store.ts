import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { openSqliteStore } from "@rollcall/store-sqlite"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { groupedSqlite } from "./floor/groupedSqlite.ts"

/** Stores the `number`th value. */
type Write = (key: string, number: number, done: () => void) => void

interface Run {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** The p99 delay of the event loop, in ms. */
  readonly away: number
}

const WRITERS = [1, 32, 256] as const
const WRITES = { 1: 2000, 32: 20_000, 256: 40_000 } as const
const KEYS = 5000

/** Returns distinct values of about half a kilobyte, like a Lease: SQLite does not write equal values. */
const leaseLike = (number: number) => ({ metadata: { name: "node" }, spec: { number, filler: "y".repeat(440) } })

let numbers = 0

const at = (sorted: ReadonlyArray<number>, share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0

/** Runs writers that each wait for one write before the next, one turn of the event loop apart, like requests. */
const run = (write: Write, writers: number, writes: number): Promise<Run> =>
  new Promise((resolve) => {
    const delays = monitorEventLoopDelay({ resolution: 1 })
    const latencies: Array<number> = []
    let started = 0
    const start = performance.now()
    const finish = () => {
      delays.disable()
      latencies.sort((left, right) => left - right)
      resolve({
        perSecond: (writes / (performance.now() - start)) * 1000,
        p50: at(latencies, 0.5),
        p99: at(latencies, 0.99),
        away: delays.percentile(99) / 1e6
      })
    }
    const next = () => {
      if (started === writes) return
      const from = performance.now()
      started++
      const number = numbers++
      write(`/registry/leases/kube-node-lease/node-${number % KEYS}`, number, () => {
        if (latencies.push(performance.now() - from) === writes) finish()
        else setImmediate(next)
      })
    }
    delays.enable()
    for (let writer = 0; writer < writers; writer++) next()
  })

const median = (runs: ReadonlyArray<Run>): Run =>
  runs.toSorted((left, right) => left.perSecond - right.perSecond)[runs.length >> 1] as Run

/** Runs both in alternation, three times after a warm-up, so that other work on the machine affects both. */
const compare = async (ours: Write, floor: Write, writers: (typeof WRITERS)[number]): Promise<readonly [Run, Run]> => {
  const runs: Array<readonly [Run, Run]> = []
  for (let round = 0; round < 4; round++) {
    runs.push([await run(ours, writers, WRITES[writers]), await run(floor, writers, WRITES[writers])])
  }
  const counted = runs.slice(1)
  return [median(counted.map(([mine]) => mine)), median(counted.map(([, bare]) => bare))]
}

const line = (name: string, { away, p50, p99, perSecond }: Run): string =>
  `  ${name.padEnd(44)} ${Math.round(perSecond).toLocaleString("en-US").padStart(9)} /s   p50 ${p50.toFixed(2).padStart(6)} ms   ` +
  `p99 ${p99.toFixed(2).padStart(6)} ms   event loop away p99 ${away.toFixed(2)} ms\n`

/** Benchmarks durable writes of half a kilobyte, with revisions and history, against bare upserts of the same values. */
export const benchStore = (): Promise<void> =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "bench-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true }))
    )
    const store = yield* openSqliteStore({ file: join(folder, "ours.db") })
    const floor = groupedSqlite(join(folder, "floor.db"))
    const ours: Write = (key, number, done) =>
      store.write([{ type: "put", key, value: leaseLike(number) }], (result) => {
        Result.getOrThrow(result)
        done()
      })
    const upsert: Write = (key, number, done) => floor.write(key, JSON.stringify(leaseLike(number)), done)
    process.stdout.write("\nDurable writes of 0.5 KB\n")
    for (const writers of WRITERS) {
      const [mine, bare] = yield* Effect.promise(() => compare(ours, upsert, writers))
      process.stdout.write(line(`@rollcall/store-sqlite, ${writers} writers`, mine))
      process.stdout.write(line("floor: group-committed upserts", bare))
      process.stdout.write(`  ratio to the floor: ${(mine.perSecond / bare.perSecond).toFixed(2)}\n`)
    }
    floor.close()
  }).pipe(Effect.scoped, Effect.provide(layerWallClock()), Effect.runPromise)
