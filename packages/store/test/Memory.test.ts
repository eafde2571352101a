import { assert, describe, it } from "@effect/vitest"
import { layerWallClock, makeVirtualTime } from "@rollcall/time"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import {
  type Change,
  layerMemory,
  makeMemoryStore,
  type Operation,
  type StoreCompacted,
  type StoreFailure
} from "../src/index.ts"
import { storeContract } from "../src/testing/index.ts"

storeContract("memory", Layer.provide(layerMemory(), layerWallClock()))
storeContract(
  "memory with a long history",
  Layer.provide(layerMemory({ historyRevisions: 1_000_000 }), layerWallClock())
)

describe("memory store", () => {
  const setup = (history?: number) => {
    const time = makeVirtualTime(0)
    const store = makeMemoryStore(time.timers, history === undefined ? {} : { historyRevisions: history })
    const put = (key: string, value: unknown) => store.write([{ type: "put", key, value }], () => {})
    const watch = (prefix: string, from: number) => {
      const batches: Array<ReadonlyArray<Change>> = []
      const ends: Array<StoreCompacted | StoreFailure | undefined> = []
      const cancel = store.watch(prefix, from, {
        changes: (batch) => batches.push(batch),
        end: (end) => ends.push(end)
      })
      return { batches, ends, cancel }
    }
    return { time, store, put, watch }
  }

  it("ends a watch that throws, as one that has missed changes, and notifies all others", () => {
    const errors: Array<string> = []
    const time = makeVirtualTime(0, { handleError: (source) => void errors.push(source) })
    const store = makeMemoryStore(time.timers)
    const ends: Array<StoreCompacted | StoreFailure | undefined> = []
    const seen: Array<number> = []
    store.watch("/", 0, {
      changes: () => {
        throw new Error("by hand")
      },
      end: (end) => ends.push(end)
    })
    store.watch("/", 0, { changes: (batch) => seen.push(batch.length), end: () => {} })
    for (const key of ["/a", "/b"]) {
      store.write([{ type: "put", key, value: 1 }], () => {})
      time.runUntil(0)
    }
    assert.deepStrictEqual(seen, [1, 1])
    assert.deepStrictEqual(errors, ["store watch"])
    assert.deepStrictEqual(
      ends.map((end) => end?._tag),
      ["StoreCompacted"]
    )
  })

  it("answers before the call returns and delivers after it, once a burst", () => {
    const { time, store, put, watch } = setup()
    const { batches } = watch("/", 0)
    let answered = 0
    store.write([{ type: "put", key: "/a", value: 1 }], (result) => {
      answered = Result.getOrThrow(result)
    })
    assert.strictEqual(answered, 1)
    put("/b", 1)
    put("/c", 1)
    assert.strictEqual(batches.length, 0)
    time.runUntil(0)
    assert.deepStrictEqual(
      batches.map((batch) => batch.length),
      [3]
    )
  })

  it("ends a watch that is older than the history, and needs no more memory than the history", () => {
    const { time, store, put, watch } = setup(4)
    const slow = watch("/", 0)
    for (let n = 1; n <= 5; n++) put("/a", n)
    time.runUntil(0)
    assert.deepStrictEqual(slow.batches, [])
    assert.deepInclude(slow.ends[0], { _tag: "StoreCompacted", requested: 0, oldest: 2 })
    const kept = watch("/", 1)
    time.runUntil(0)
    assert.strictEqual(kept.batches[0]?.length, 4)
    store.range("/", { revision: 1 }, (result) => assert.isTrue(Result.isFailure(result)))
    store.range("/", { revision: 2 }, (result) => assert.strictEqual(Result.getOrThrow(result).entries[0]?.value, 2))
  })

  it("lets a watch write, cancel itself and cancel another during a delivery", () => {
    const { time, store, put } = setup()
    const log: Array<string> = []
    const first = store.watch("/", 0, {
      changes: (batch) => {
        log.push(`first ${batch.length}`)
        if (log.length === 1) put("/echo", 1)
        second()
        first()
      },
      end: () => log.push("end")
    })
    const second = store.watch("/", 0, { changes: () => log.push("second"), end: () => log.push("end") })
    put("/a", 1)
    time.runUntil(0)
    assert.deepStrictEqual(log, ["first 1"])
    assert.strictEqual(store.revision(), 2)
  })

  it("finds a key by its position, and by a search when the position is outdated", () => {
    const { put, store } = setup()
    put("/a", 1)
    const place = store.place?.("/a")
    const write = (operation: Operation): boolean => {
      let written = false
      store.write([operation], (result) => {
        written = Result.isSuccess(result)
      })
      return written
    }
    assert.isTrue(write({ type: "put", key: "/a", value: 2, expect: 1, place }))
    assert.isFalse(write({ type: "put", key: "/a", value: 3, expect: 1, place }))
    assert.isTrue(write({ type: "put", key: "/b", value: "b", place }), "a place of another key")
    assert.isTrue(write({ type: "delete", key: "/a" }))
    assert.isFalse(write({ type: "put", key: "/a", value: 4, expect: 2, place }))
    assert.isTrue(write({ type: "put", key: "/a", value: 5, expect: 0, place }))
    assert.isTrue(write({ type: "put", key: "/a", value: 6, expect: 5, place }))
    store.get("/a", (found) => assert.deepInclude(Result.getOrThrow(found), { value: 6, createRevision: 5 }))
    store.get("/b", (found) => assert.deepInclude(Result.getOrThrow(found), { value: "b" }))
  })
})
