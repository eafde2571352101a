import { assert, it } from "@effect/vitest"
import { type Operation, type Revision, Store } from "@rollcall/store"
import { probe, revisionOf, type StoreProbe } from "@rollcall/store/testing/probe"
import { layerWallClock } from "@rollcall/time"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { openEtcdStore } from "../src/EtcdStore.ts"
import { MAX_ANSWERS } from "../src/internal/Follower.ts"
import { inEtcd } from "./inEtcd.ts"

const put = (key: string, value: unknown): Operation => ({ type: "put", key, value })

inEtcd("an etcd of several stores", ({ etcd, layerOwnKeys }) => {
  const open = (prefix: string) =>
    Effect.provide(openEtcdStore({ endpoints: [etcd().url], prefix, compactionIntervalMs: 0 }), layerWallClock())

  it.live("shows each the writes of the others", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* open("/both"), probe(yield* open("/both"))]
      const watch = yield* probe(one).watch("/a", 0)
      const written = yield* two.write(put("/a", 1))
      const current = yield* Effect.callback<Revision, unknown>((resume) =>
        one.current?.((result) => resume(Effect.fromResult(result)))
      )
      assert.isAtLeast(current, written)
      assert.deepStrictEqual((yield* watch.until(written)).map(revisionOf), [written])
      assert.deepInclude(yield* Effect.flip(probe(one).write({ type: "delete", key: "/a", expect: 1 })), {
        _tag: "StoreConflict",
        actual: written
      })
    })
  )

  it.live(
    "goes on where a stream of many answers is opened anew, with each change once",
    () =>
      Effect.gen(function* () {
        const store = probe(yield* open("/many"))
        const watch = yield* store.watch("/a", 0)
        const written: Array<Revision> = []
        // One after the other: etcd tells of changes at a time in one answer.
        for (let at = 0; at < 2 * MAX_ANSWERS + 10; at++) written.push(yield* store.write(put("/a", at)))
        assert.deepStrictEqual((yield* watch.until(written.at(-1) ?? 0)).map(revisionOf), written)
      }),
    120_000
  )

  it.live("tells a watch how far it is when only others write", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* open("/one"), probe(yield* open("/two"))]
      const reached = Deferred.makeUnsafe<Revision>()
      one.watch("", one.revision(), {
        changes: () => {},
        progress: (revision) => void Deferred.doneUnsafe(reached, Exit.succeed(revision)),
        end: () => {}
      })
      const written = yield* two.write(put("/a", 1))
      // Whoever reads learns of the revision.
      one.current?.(() => {})
      assert.strictEqual(yield* Deferred.await(reached), written)
    })
  )

  it.live("keeps the order of writes of a key, and writes others side by side", () =>
    Effect.gen(function* () {
      const store = probe(yield* Store)
      const watch = yield* store.watch("", 0)
      const keys = Array.from({ length: 300 }, (_, at) => `/${at % 7}`)
      const revisions = yield* Effect.forEach(keys, (key, at) => store.write(put(key, at)), {
        concurrency: "unbounded"
      })
      assert.strictEqual(new Set(revisions).size, 300)
      const changes = yield* watch.until(Math.max(...revisions))
      assert.deepStrictEqual(
        changes.map(revisionOf),
        [...revisions].sort((a, b) => a - b)
      )
      for (let key = 0; key < 7; key++) {
        const own = revisions.filter((_, at) => at % 7 === key)
        assert.deepStrictEqual(
          own,
          [...own].sort((a, b) => a - b)
        )
      }
    }).pipe(Effect.scoped, Effect.provide(layerOwnKeys()))
  )

  it.live("deletes a key after its time", () =>
    Effect.gen(function* () {
      const store = probe(yield* Store)
      const watch = yield* store.watch("/events/", 0)
      const written = yield* store.write({ type: "put", key: "/events/a", value: 1, ttlMs: 1000 }, put("/other", 1))
      const [, gone] = yield* watch.until(written + 1)
      assert.deepInclude(gone, { type: "delete", key: "/events/a" })
      assert.strictEqual((yield* store.get("/other"))?.value, 1)
    }).pipe(Effect.scoped, Effect.provide(layerOwnKeys()))
  )

  it.live("ends a watch from before a compaction of another store, with where to continue", () =>
    Effect.gen(function* () {
      const [one, two] = [probe(yield* open("/old")), probe(yield* open("/old"))]
      const revisions = yield* Effect.forEach([1, 2, 3, 4], (n) => one.write(put("/a", n)))
      const [first = 0, , third = 0, fourth = 0] = revisions
      yield* one.compact(fourth)
      const watch = yield* two.watch("", first)
      assert.deepInclude(yield* watch.ended, { _tag: "StoreCompacted", requested: first, oldest: fourth })
      assert.deepInclude(yield* Effect.flip(two.range("", { revision: first })), { _tag: "StoreCompacted" })
      assert.deepStrictEqual((yield* (yield* two.watch("", third)).until(fourth)).map(revisionOf), [fourth])
    })
  )

  it.live("compacts what is older than an interval, once for all stores", () =>
    Effect.gen(function* () {
      const intervals = { endpoints: [etcd().url], prefix: "/interval", compactionIntervalMs: 300 }
      const stores = yield* Effect.forEach([1, 2], () =>
        Effect.map(Effect.provide(openEtcdStore(intervals), layerWallClock()), probe)
      )
      const [store] = stores as [StoreProbe, StoreProbe]
      const first = yield* store.write(put("/a", 1))
      yield* store.write(put("/a", 2))
      yield* Effect.sleep(1500)
      const newest = yield* store.write(put("/a", 3))
      assert.deepInclude(yield* Effect.flip(store.range("", { revision: first })), { _tag: "StoreCompacted" })
      assert.strictEqual((yield* store.range("", { revision: newest })).entries[0]?.value, 3)
      const counter = yield* probe(yield* open("")).get("compact_rev_key")
      assert.isNumber(counter?.value)
    })
  )
})
