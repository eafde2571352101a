import { assert, it } from "@effect/vitest"
import { type Operation, type Revision, Store } from "@rollcall/store"
import { probe, revisionOf } from "@rollcall/store/testing/probe"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { type EtcdOptions, openEtcdStore } from "../src/EtcdStore.ts"
import { startCutter } from "./cutter.ts"
import { inEtcd } from "./inEtcd.ts"

const put = (key: string, value: unknown, expect?: Revision): Operation => ({
  type: "put",
  key,
  value,
  ...(expect === undefined ? {} : { expect })
})

const open = (options: EtcdOptions) =>
  Effect.map(Effect.provide(openEtcdStore({ compactionIntervalMs: 0, ...options }), layerWallClock()), probe)

inEtcd("an answer that is lost", ({ etcd }) => {
  const throughCutter = (prefix: string) =>
    Effect.gen(function* () {
      const cutter = yield* startCutter(etcd().url)
      const store = yield* open({ endpoints: [cutter.url, etcd().url], prefix })
      const direct = yield* open({ endpoints: [etcd().url], prefix })
      return { cutter, store, direct }
    })

  it.live("does not let a write that expects a revision happen twice", () =>
    Effect.gen(function* () {
      const { cutter, direct, store } = yield* throughCutter("/lost/1")
      const watch = yield* direct.watch("", 0)
      cutter.cutNext()
      const error = yield* Effect.flip(store.write(put("/a", 1, 0)))
      assert.match(error.message, /^the answer of etcd to a write of \/a was lost.*whether it is written is not known$/)
      assert.strictEqual(cutter.cuts(), 1)
      const created = (yield* direct.get("/a"))?.modRevision ?? 0
      const updated = yield* store.write(put("/a", 2, created))
      assert.deepStrictEqual((yield* watch.until(updated)).map(revisionOf), [created, updated])
    })
  )

  it.live("does not matter to a write that expects a revision and was not carried out", () =>
    Effect.gen(function* () {
      const { cutter, direct, store } = yield* throughCutter("/lost/4")
      cutter.dropNext()
      const created = yield* store.write(put("/a", 1, 0))
      assert.strictEqual(cutter.cuts(), 1)
      assert.strictEqual((yield* direct.get("/a"))?.modRevision, created)
    })
  )

  it.live("is told for a write that expects none, which is not sent again", () =>
    Effect.gen(function* () {
      const { cutter, direct, store } = yield* throughCutter("/lost/2")
      const watch = yield* direct.watch("", 0)
      cutter.cutNext()
      const error = yield* Effect.flip(store.write(put("/a", 1)))
      assert.match(error.message, /whether it is written is not known$/)
      const last = yield* store.write(put("/b", 1))
      assert.deepStrictEqual(
        (yield* watch.until(last)).map((change) => change.type === "put" && change.entry.key),
        ["/a", "/b"]
      )
    })
  )
})

inEtcd("an etcd that is killed", ({ etcd, layerOwnKeys }) => {
  it.live("fails writes and reads by their deadline, and is used again with all watches", () =>
    Effect.gen(function* () {
      const service = yield* Store
      const store = probe(service)
      const first = yield* store.write(put("/a", 1))
      const watch = yield* store.watch("", 0)
      yield* watch.until(first)
      yield* etcd().kill
      const began = performance.now()
      const error = yield* Effect.flip(store.write(put("/a", 2, first)))
      assert.isBelow(performance.now() - began, 1500)
      assert.match(error.message, /^etcd did not answer within 1s \(http:\/\/127\.0\.0\.1:\d+\): connect ECONNREFUSED/)
      assert.match((yield* Effect.flip(store.range(""))).message, /ECONNREFUSED/)
      yield* etcd().start
      // It elects itself first.
      yield* Effect.retry(store.get("/a"), { times: 30 })
      const second = yield* store.write(put("/a", 3, first))
      assert.deepStrictEqual((yield* watch.until(second)).map(revisionOf), [first, second])
    }).pipe(Effect.scoped, Effect.provide(layerOwnKeys({ timeoutMs: 1000 })))
  )

  it.live("is as one that hangs: writes fail with what may be wrong, until it answers again", () =>
    Effect.gen(function* () {
      const store = probe(yield* Store)
      const first = yield* store.write(put("/a", 1))
      yield* etcd().freeze
      const error = yield* Effect.ensuring(Effect.flip(store.write(put("/a", 2, first))), etcd().thaw)
      assert.match(
        error.message,
        /^etcd did not answer within 1s \(.*\): no answer of http.* do most members of etcd run\?;/
      )
      // etcd may still carry out the write that it was sent, also after a read.
      const writeAgain = Effect.gen(function* () {
        const newest = (yield* store.get("/a"))?.modRevision ?? 0
        assert.isAbove(yield* store.write(put("/a", 3, newest)), newest)
      })
      yield* Effect.retry(writeAgain, { times: 30 })
    }).pipe(Effect.scoped, Effect.provide(layerOwnKeys({ timeoutMs: 1000 })))
  )

  it.live("is not needed where another member answers", () =>
    Effect.gen(function* () {
      const store = yield* open({ endpoints: ["http://127.0.0.1:1", etcd().url], prefix: "/members", timeoutMs: 1000 })
      assert.isAbove(yield* store.write(put("/a", 1)), 0)
    })
  )

  it.live("is missed when the store opens", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(open({ endpoints: ["http://127.0.0.1:1"], dialTimeoutMs: 300 }))
      assert.match(error.message, /^etcd did not answer within 0\.3s \(http:\/\/127\.0\.0\.1:1\): connect ECONNREFUSED/)
    })
  )
})

inEtcd("a store that is closed", ({ etcd }) => {
  it.live("answers what waits, and refuses what comes later", () =>
    Effect.gen(function* () {
      const answers: Array<string> = []
      const store = yield* Effect.scoped(
        Effect.gen(function* () {
          const opened = yield* Effect.provide(openEtcdStore({ endpoints: [etcd().url] }), layerWallClock())
          for (let n = 0; n < 100; n++) opened.write([put("/a", n)], ({ _tag }) => answers.push(_tag))
          return opened
        })
      )
      assert.strictEqual(answers.length, 100)
      store.write([put("/late", 1)], ({ _tag }) => answers.push(_tag))
      store.range("", {}, ({ _tag }) => answers.push(_tag))
      assert.deepStrictEqual(answers.slice(100), ["Failure", "Failure"])
    })
  )
})
