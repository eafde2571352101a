import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Operation, Revision, Store } from "../Store.ts"
import { type ProbeOptions, probeOf, revisionOf, type StoreProbe } from "./Probe.ts"
import { propertyContract } from "./propertyContract.ts"

const put = (key: string, value: unknown, expect?: Revision): Operation =>
  expect === undefined ? { type: "put", key, value } : { type: "put", key, value, expect }

const del = (key: string, expect?: Revision): Operation =>
  expect === undefined ? { type: "delete", key } : { type: "delete", key, expect }

const keysOf = (entries: ReadonlyArray<{ readonly key: string }>) => entries.map((entry) => entry.key)

export interface ContractOptions extends ProbeOptions {
  /** The number of random plans that are compared with the model; each builds the layer again. Default 60. */
  readonly runs?: number
}

/**
 * Registers the tests that every layer of the Store port must pass, in a vitest file. The layer is built, empty, for
 * each test.
 */
export const storeContract = (
  name: string,
  layer: Layer.Layer<Store, unknown>,
  { runs = 60, ...options }: ContractOptions = {}
): void => {
  const withStore = (label: string, body: (store: StoreProbe) => Effect.Effect<void, unknown, Scope.Scope>) =>
    it.live(label, () =>
      Effect.gen(function* () {
        yield* body(yield* probeOf(options))
      }).pipe(Effect.scoped, Effect.provide(Layer.fresh(layer)))
    )

  describe(`${name}: writes`, () => {
    withStore("start at revision 0 and use one revision a batch", (store) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* store.range("")).revision, 0)
        assert.strictEqual(yield* store.write(put("/a", 1)), 1)
        assert.strictEqual(yield* store.write(put("/b", 1), put("/c", 1)), 2)
        assert.strictEqual(yield* store.write(del("/b")), 3)
        assert.strictEqual((yield* store.range("")).revision, 3)
      })
    )

    withStore("keep the create revision over updates, not over a delete", (store) =>
      Effect.gen(function* () {
        yield* store.write(put("/a", { n: 1 }))
        yield* store.write(put("/a", { n: 2 }))
        assert.deepStrictEqual(yield* store.get("/a"), {
          key: "/a",
          value: { n: 2 },
          createRevision: 1,
          modRevision: 2
        })
        yield* store.write(del("/a"))
        assert.strictEqual(yield* store.get("/a"), undefined)
        yield* store.write(put("/a", { n: 3 }))
        assert.deepStrictEqual(yield* store.get("/a"), {
          key: "/a",
          value: { n: 3 },
          createRevision: 4,
          modRevision: 4
        })
      })
    )

    withStore("compare and swap by revision", (store) =>
      Effect.gen(function* () {
        const absent = yield* Effect.flip(store.write(put("/a", 1, 7)))
        assert.deepInclude(absent, { _tag: "StoreConflict", key: "/a", actual: 0 })
        yield* store.write(put("/a", 1, 0))
        const present = yield* Effect.flip(store.write(put("/a", 2, 0)))
        assert.deepInclude(present, { _tag: "StoreConflict", key: "/a", actual: 1 })
        yield* store.write(put("/a", 2, 1))
        const stale = yield* Effect.flip(store.write(del("/a", 1)))
        assert.deepInclude(stale, { _tag: "StoreConflict", key: "/a", actual: 2 })
        assert.strictEqual((yield* store.get("/a"))?.value, 2)
        assert.strictEqual(yield* store.write(del("/a", 2)), 3)
      })
    )

    withStore("write all of a batch or nothing", (store) =>
      Effect.gen(function* () {
        yield* store.write(put("/a", 1))
        const error = yield* Effect.flip(store.write(put("/b", 1, 0), put("/a", 2, 9), put("/c", 1)))
        assert.deepInclude(error, { _tag: "StoreConflict", key: "/a", actual: 1 })
        assert.deepStrictEqual(keysOf((yield* store.range("")).entries), ["/a"])
        assert.strictEqual(yield* store.write(put("/b", 1, 0), put("/a", 2, 1), put("/c", 1)), 2)
        const entries = (yield* store.range("")).entries
        assert.deepStrictEqual(
          entries.map((entry) => entry.modRevision),
          [2, 2, 2]
        )
      })
    )

    withStore("use no revision for a batch that changes nothing", (store) =>
      Effect.gen(function* () {
        yield* store.write(put("/a", 1))
        assert.strictEqual(yield* store.write(del("/none")), 1)
        assert.strictEqual(yield* store.write(), 1)
        assert.strictEqual(yield* store.write(put("/a", 1)), 2)
      })
    )

    withStore("refuse a batch that contains a key twice", (store) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(store.write(put("/a", 1), put("/a", 2)))
        assert.strictEqual(error._tag, "StoreFailure")
        assert.strictEqual(yield* store.get("/a"), undefined)
      })
    )
  })

  describe(`${name}: ranges`, () => {
    const fill = (store: StoreProbe) =>
      Effect.forEach(["/p/b", "/p/a", "/q/a", "/p/c", "/p", "/p0", "/p/B"], (key) => store.write(put(key, key)))

    withStore("are ordered by code unit and bounded by the prefix", (store) =>
      Effect.gen(function* () {
        yield* fill(store)
        assert.deepStrictEqual(keysOf((yield* store.range("/p/")).entries), ["/p/B", "/p/a", "/p/b", "/p/c"])
        assert.deepStrictEqual(keysOf((yield* store.range("/p")).entries), [
          "/p",
          "/p/B",
          "/p/a",
          "/p/b",
          "/p/c",
          "/p0"
        ])
        assert.strictEqual((yield* store.range("")).entries.length, 7)
        assert.deepStrictEqual((yield* store.range("/z")).entries, [])
      })
    )

    withStore("page with limit and after, and count what remains", (store) =>
      Effect.gen(function* () {
        yield* fill(store)
        const first = yield* store.range("/p/", { limit: 2 })
        assert.deepStrictEqual(keysOf(first.entries), ["/p/B", "/p/a"])
        assert.strictEqual(first.remaining, 2)
        const rest = yield* store.range("/p/", { limit: 2, after: "/p/a" })
        assert.deepStrictEqual(keysOf(rest.entries), ["/p/b", "/p/c"])
        assert.strictEqual(rest.remaining, 0)
        const none = yield* store.range("/p/", { limit: 2, after: "/p/c" })
        assert.deepStrictEqual([none.entries.length, none.remaining], [0, 0])
      })
    )

    withStore("show the store as it was at a revision", (store) =>
      Effect.gen(function* () {
        yield* store.write(put("/b", 1))
        yield* store.write(put("/d", 1))
        yield* store.write(del("/b"))
        yield* store.write(put("/c", 1), put("/d", 2))
        yield* store.write(put("/b", 2), del("/d"))
        const at = (revision: Revision) =>
          Effect.map(store.range("/", { revision }), (page) => page.entries.map((entry) => [entry.key, entry.value]))
        assert.deepStrictEqual(yield* at(0), [])
        assert.deepStrictEqual(yield* at(2), [
          ["/b", 1],
          ["/d", 1]
        ])
        assert.deepStrictEqual(yield* at(3), [["/d", 1]])
        assert.deepStrictEqual(yield* at(4), [
          ["/c", 1],
          ["/d", 2]
        ])
        assert.deepStrictEqual(yield* at(5), [
          ["/b", 2],
          ["/c", 1]
        ])
        const page = yield* store.range("/", { revision: 4, limit: 1, after: "/a" })
        assert.deepStrictEqual([keysOf(page.entries), page.revision, page.remaining], [["/c"], 4, 1])
        const future = yield* Effect.flip(store.range("/", { revision: 6 }))
        assert.strictEqual(future._tag, "StoreFailure")
      })
    )
  })

  describe(`${name}: watches`, () => {
    withStore("deliver every later change under the prefix once, in order", (store) =>
      Effect.gen(function* () {
        yield* store.write(put("/w/a", 1))
        const watch = yield* store.watch("/w/", 1)
        yield* store.write(put("/w/a", 2))
        yield* store.write(put("/other", 1))
        yield* store.write(put("/w/b", 1))
        yield* store.write(del("/w/a"))
        assert.deepStrictEqual(yield* watch.until(5), [
          {
            type: "put",
            entry: { key: "/w/a", value: 2, createRevision: 1, modRevision: 2 },
            previous: { key: "/w/a", value: 1, createRevision: 1, modRevision: 1 }
          },
          { type: "put", entry: { key: "/w/b", value: 1, createRevision: 4, modRevision: 4 }, previous: undefined },
          {
            type: "delete",
            key: "/w/a",
            revision: 5,
            previous: { key: "/w/a", value: 2, createRevision: 1, modRevision: 2 }
          }
        ])
      })
    )

    withStore("replay the past from any kept revision, then continue", (store) =>
      Effect.gen(function* () {
        for (let n = 1; n <= 5; n++) yield* store.write(put("/a", n))
        const watches = yield* Effect.forEach([0, 2, 5], (from) => store.watch("/", from))
        yield* store.write(put("/a", 6))
        const seen = yield* Effect.forEach(watches, (watch) => Effect.map(watch.until(6), (all) => all.map(revisionOf)))
        assert.deepStrictEqual(seen, [[1, 2, 3, 4, 5, 6], [3, 4, 5, 6], [6]])
      })
    )

    withStore("wait for a future revision without an event", (store) =>
      Effect.gen(function* () {
        const watch = yield* store.watch("/", 2)
        for (let n = 1; n <= 4; n++) yield* store.write(put("/a", n))
        assert.deepStrictEqual((yield* watch.until(4)).map(revisionOf), [3, 4])
      })
    )

    withStore("never split a batch", (store) =>
      Effect.gen(function* () {
        const watch = yield* store.watch("/", 0)
        for (let n = 1; n <= 20; n++) yield* store.write(put("/a", n), put("/b", n), put("/c", n))
        yield* watch.until(20)
        for (const delivery of watch.deliveries) {
          const counts = new Map<Revision, number>()
          for (const change of delivery) counts.set(revisionOf(change), (counts.get(revisionOf(change)) ?? 0) + 1)
          for (const [revision, count] of counts) assert.strictEqual(count, 3, `revision ${revision} in one delivery`)
        }
      })
    )

    withStore("deliver nothing within a call, and nothing once ended", (store) =>
      Effect.gen(function* () {
        const ended = yield* store.watch("/", 0)
        const watch = yield* store.watch("/", 0)
        assert.strictEqual(watch.deliveries.length, 0)
        ended.cancel()
        yield* store.write(put("/a", 1))
        yield* watch.until(1)
        assert.strictEqual(ended.deliveries.length, 0)
      })
    )
  })

  describe(`${name}: compaction`, () => {
    withStore("forgets older revisions and reports that", (store) =>
      Effect.gen(function* () {
        for (let n = 1; n <= 6; n++) yield* store.write(put("/a", n))
        yield* store.compact(4)
        const tooOld = yield* Effect.flip(store.range("/", { revision: 3 }))
        assert.deepInclude(tooOld, { _tag: "StoreCompacted", requested: 3, oldest: 4 })
        assert.strictEqual((yield* store.range("/", { revision: 4 })).entries[0]?.value, 4)
        assert.strictEqual((yield* store.get("/a"))?.value, 6)
        const lost = yield* store.watch("/", 2)
        assert.deepInclude(yield* lost.ended, { _tag: "StoreCompacted", requested: 2, oldest: 4 })
        assert.strictEqual(lost.deliveries.length, 0)
        const kept = yield* store.watch("/", 3)
        assert.deepStrictEqual((yield* kept.until(6)).map(revisionOf), [4, 5, 6])
      })
    )

    withStore("does not affect an up-to-date watch", (store) =>
      Effect.gen(function* () {
        const watch = yield* store.watch("/", 0)
        for (let n = 1; n <= 3; n++) yield* store.write(put("/a", n))
        yield* watch.until(3)
        yield* store.compact(3)
        yield* store.write(put("/a", 4))
        assert.deepStrictEqual((yield* watch.until(4)).map(revisionOf), [1, 2, 3, 4])
      })
    )
  })

  propertyContract(name, layer, runs, options)
}
