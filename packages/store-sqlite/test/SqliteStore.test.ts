import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Store } from "@rollcall/store"
import { storeContract } from "@rollcall/store/testing"
import { revisionOf } from "@rollcall/store/testing/probe"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { openSqliteStore, type SqliteOptions } from "../src/index.ts"
import { del, openProbe, put, temporaryFile, temporaryFolder } from "./temporary.ts"

/** A store in a folder of its own, gone with the scope. */
const layerTemporary = (options: Omit<SqliteOptions, "file"> = {}) =>
  Layer.effect(
    Store,
    Effect.flatMap(temporaryFolder, (folder) => openSqliteStore({ file: join(folder, "store.db"), ...options }))
  ).pipe(Layer.provide(layerWallClock()))

storeContract("SQLite", layerTemporary(), { runs: 15 })
storeContract("SQLite with little in memory", layerTemporary({ recentRevisions: 2 }), { runs: 15 })
storeContract("SQLite with a few characters in memory", layerTemporary({ recentSize: 20 }), { runs: 15 })

describe("a file that is opened again", () => {
  it.live("has all digits of an int64", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      // What a value writes of itself: the API's bigints write their digits.
      const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }
      const large = ["9007199254740993", "-9223372036854775808"].map(rawJSON)
      const value = { large, text: "9007199254740993", float: rawJSON("9223372036854775808") }
      yield* Effect.scoped(Effect.flatMap(openProbe({ file }), (store) => store.write(put("/a", value))))
      const { entries } = yield* (yield* openProbe({ file })).range("")
      assert.deepStrictEqual(entries[0]?.value, {
        large: [9007199254740993n, -9223372036854775808n],
        text: "9007199254740993",
        float: 2 ** 63
      })
    })
  )

  it.live("has its content, its revision and its history", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* openProbe({ file })
          yield* store.write(put("/a", { n: 1 }), put("/b", "b"))
          yield* store.write(put("/a", { n: 2, text: "ü€😀 \u0000" }))
          yield* store.write(del("/b"))
        })
      )
      const store = yield* openProbe({ file })
      const entry = { key: "/a", value: { n: 2, text: "ü€😀 \u0000" }, createRevision: 1, modRevision: 2 }
      assert.deepStrictEqual(yield* store.range(""), { entries: [entry], revision: 3, remaining: 0 })
      const past = (yield* store.range("", { revision: 1 })).entries
      assert.deepStrictEqual(
        past.map(({ key, value }) => [key, value]),
        [
          ["/a", { n: 1 }],
          ["/b", "b"]
        ]
      )
      const watch = yield* store.watch("", 0)
      assert.strictEqual(yield* store.write(put("/c", 1)), 4)
      const changes = yield* watch.until(4)
      assert.deepStrictEqual(changes.map(revisionOf), [1, 1, 2, 3, 4])
      assert.deepStrictEqual(changes[3]?.previous, { key: "/b", value: "b", createRevision: 1, modRevision: 1 })
      assert.deepStrictEqual((yield* watch.until(4))[2], {
        type: "put",
        entry,
        previous: { key: "/a", value: { n: 1 }, createRevision: 1, modRevision: 1 }
      })
    })
  )

  it.live("uses no revision twice, even if only a deletion is left of the newest", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const emptied = Effect.gen(function* () {
        const store = yield* openProbe({ file })
        yield* store.write(put("/a", 1))
        const revision = yield* store.write(del("/a"))
        yield* store.compact(revision)
        return revision
      })
      assert.strictEqual(yield* Effect.scoped(emptied), 2)
      assert.strictEqual(yield* Effect.scoped(emptied), 4)
      const store = yield* openProbe({ file })
      const refused = yield* Effect.flip(store.range("", { revision: 3 }))
      assert.deepInclude(refused, { _tag: "StoreCompacted", requested: 3, oldest: 4 })
    })
  )

  it.live("reports the size of a key's value, also after a restart", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const sizes: Array<number | undefined> = []
      const session = Effect.gen(function* () {
        const store = yield* Effect.provide(openSqliteStore({ file }), layerWallClock())
        sizes.push(store.sizeOf?.("/a"))
        const large = put("/a", "x".repeat(1000))
        yield* Effect.callback<void>((resume) => store.write([large, put("/b", 1)], () => resume(Effect.void)))
        sizes.push(store.sizeOf?.("/a"), store.sizeOf?.("/b"))
        yield* Effect.callback<void>((resume) => store.write([del("/b")], () => resume(Effect.void)))
        sizes.push(store.sizeOf?.("/b"))
      })
      yield* Effect.scoped(session)
      yield* Effect.scoped(session)
      assert.deepStrictEqual(sizes, [undefined, 1002, 1, undefined, 1002, 1002, 1, undefined])
    })
  )

  it.live("answers waiting calls when it is closed, and refuses later ones", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const answers: Array<string> = []
      const store = yield* Effect.scoped(
        Effect.gen(function* () {
          const opened = yield* Effect.provide(openSqliteStore({ file }), layerWallClock())
          for (let n = 0; n < 5000; n++) opened.write([put(`/${n}`, n)], ({ _tag }) => answers.push(_tag))
          return opened
        })
      )
      assert.deepStrictEqual([answers.length, new Set(answers)], [5000, new Set(["Success"])])
      store.write([put("/late", 1)], ({ _tag }) => answers.push(_tag))
      assert.strictEqual(answers.at(-1), "Failure")
      const again = yield* openProbe({ file })
      assert.strictEqual((yield* again.range("")).entries.length, 5000)
    })
  )
})
