import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { layerMemory, type Operation, type Store } from "@rollcall/store"
import { probeOf } from "@rollcall/store/testing/probe"
import { layerSqlite } from "@rollcall/store-sqlite"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { inEtcd } from "./inEtcd.ts"

const keys = ["/registry/minions/n", "/registry/pods/a/p", "/registry/pods/b/p", "/registry/events/a/e"]
const prefixes = ["", "/registry/", "/registry/pods/", "/registry/pods/a/", "/none/"]

interface Write {
  readonly do: "write"
  readonly batch: ReadonlyArray<{ readonly key: string; readonly value: unknown; readonly expects: Expected }>
}

/** What an operation expects: nothing, the key's revision, its absence, or a revision that it never has. */
type Expected = "anything" | "newest" | "absent" | "other"

interface Read {
  readonly do: "range"
  readonly prefix: string
  readonly limit: number | undefined
  readonly after: string | undefined
  /** How many revisions ago; undefined for the newest. A negative number is the future. */
  readonly ago: number | undefined
}

interface Compact {
  readonly do: "compact"
  readonly ago: number
}

type Step = Write | Read | Compact

const some = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined })
const key = fc.constantFrom(...keys)
const operation = fc.record({
  key,
  value: some(fc.oneof(fc.jsonValue({ noUnicodeString: false }), fc.record({ text: fc.string({ unit: "grapheme" }) }))),
  expects: fc.constantFrom<Expected>("anything", "newest", "absent", "other")
})
const write: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("write"),
  batch: fc.uniqueArray(operation, { maxLength: 3, selector: (of) => of.key })
})
const read: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("range"),
  prefix: fc.constantFrom(...prefixes),
  limit: some(fc.integer({ min: 1, max: 3 })),
  after: some(key),
  ago: some(fc.integer({ min: -1, max: 8 }))
})
const compact: fc.Arbitrary<Step> = fc.record({ do: fc.constant("compact"), ago: fc.nat(8) })
const plans = fc.array(
  fc.oneof({ weight: 6, arbitrary: write }, { weight: 4, arbitrary: read }, { weight: 1, arbitrary: compact }),
  { minLength: 5, maxLength: 40 }
)

/** Carries a plan out, and returns all answers and the changes that a watch delivered. */
const carryOut = (plan: ReadonlyArray<Step>, sharesRevisions: boolean) =>
  Effect.gen(function* () {
    const store = yield* probeOf({ sharesRevisions })
    const watches = yield* Effect.forEach(["", "/registry/pods/"], (prefix) => store.watch(prefix, 0))
    const answers: Array<unknown> = []
    let newest = 0
    const expectOf = Effect.fnUntraced(function* (at: string, expects: Expected) {
      if (expects === "anything") return {}
      if (expects === "newest") return { expect: (yield* store.get(at))?.modRevision ?? 0 }
      return { expect: expects === "absent" ? 0 : 100_000 }
    })
    /** Waits until the watches are up to date: one that is behind a compaction ends, or not, by chance. */
    const delivered = Effect.gen(function* () {
      newest = yield* store.write({ type: "put", key: "/registry/pods/a/marker", value: newest })
      return yield* Effect.forEach(watches, (watch) => watch.until(newest))
    })
    const take = Effect.fnUntraced(function* (step: Step) {
      if (step.do === "compact") {
        yield* delivered
        return yield* store.compact(Math.max(0, newest - step.ago))
      }
      if (step.do === "range") {
        const { after, ago, limit, prefix } = step
        return yield* store.range(prefix, {
          ...(limit === undefined ? {} : { limit }),
          ...(after === undefined ? {} : { after }),
          ...(ago === undefined ? {} : { revision: Math.max(0, newest - ago) })
        })
      }
      const batch: Array<Operation> = []
      for (const { expects, key, value } of step.batch) {
        const expected = yield* expectOf(key, expects)
        batch.push(
          value === undefined ? { type: "delete", key, ...expected } : { type: "put", key, value, ...expected }
        )
      }
      newest = yield* store.write(...batch)
      return newest
    })
    for (const step of plan) {
      const answer = yield* Effect.catch(take(step), ({ _tag, ...error }) =>
        // Stores word a failure in their own way, and how far each has compacted is its own decision.
        Effect.succeed({ _tag, ...("key" in error ? { key: error.key, actual: error.actual } : {}) })
      )
      answers.push(answer)
    }
    const changes = yield* delivered
    return JSON.parse(JSON.stringify({ answers, changes })) as unknown
  }).pipe(Effect.scoped)

const layerFile = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "stores-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    ),
    (folder) => layerSqlite({ file: join(folder, "store.sqlite") })
  )
)

inEtcd("memory, SQLite and etcd", ({ layerOwnKeys }) => {
  it("answer the same to the same operations, and deliver the same changes", { timeout: 120_000 }, () =>
    fc.assert(
      fc.asyncProperty(plans, (plan) =>
        Effect.gen(function* () {
          const run = (layer: Layer.Layer<Store, unknown>, sharesRevisions = false) =>
            Effect.provide(carryOut(plan, sharesRevisions), Layer.fresh(layer))
          const memory = yield* run(Layer.provide(layerMemory(), layerWallClock()))
          assert.deepStrictEqual(yield* run(Layer.provide(layerFile, layerWallClock())), memory)
          assert.deepStrictEqual(yield* run(layerOwnKeys(), true), memory)
        }).pipe(Effect.runPromise)
      ),
      { numRuns: 15 }
    )
  )
})
