import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { layerMemory, Store, StoreFailure, type StoreShape } from "@rollcall/store"
import { layerEtcd } from "@rollcall/store-etcd"
import { noEtcd, startEtcd } from "@rollcall/store-etcd/testing"
import { layerSqlite } from "@rollcall/store-sqlite"
import { layerWallClock } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { serverLeases } from "../src/apiserver/kept/serverLeases.ts"
import { exportStore } from "../src/transfer/exportFile.ts"
import { importStore, verifyStore } from "../src/transfer/importFile.ts"
import { runTransfer } from "../src/transfer/runTransfer.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "transfer-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

const memory = Effect.map(Layer.build(layerMemory().pipe(Layer.provide(layerWallClock()))), Context.get(Store))

const put = (store: Store["Service"], key: string, value: unknown) =>
  Effect.callback<void>((resume) => store.write([{ type: "put", key, value }], () => resume(Effect.void)))

/** A store of more than two pages, with an object that is larger than a batch. */
const filled = Effect.gen(function* () {
  const store = yield* memory
  for (let at = 0; at < 1203; at++) {
    yield* put(store, `/registry/minions/n-${at}`, { kind: "Node", metadata: { name: `n-${at}` }, spec: { pods: at } })
  }
  yield* put(store, "/registry/configmaps/default/large", { data: { text: "ü€".repeat(300_000) } })
  yield* put(store, "/registry/masterleases/192.0.2.1", { kind: "Endpoints" })
  return store
})

const OBJECTS = 1204

describe("the transfer of a store", () => {
  it.live(
    "writes all objects of one store, and reads them into another that is the same",
    () =>
      Effect.gen(function* () {
        const at = yield* folder
        const [file, again] = [join(at, "a.ndjson"), join(at, "b.ndjson")]
        assert.strictEqual(yield* exportStore(yield* filled, file), OBJECTS)
        const sqlite = layerSqlite({ file: join(at, "store.sqlite") }).pipe(Layer.provide(layerWallClock()))
        const store = Context.get(yield* Layer.build(sqlite), Store)
        assert.strictEqual(yield* importStore(store, file), OBJECTS)
        assert.deepStrictEqual(yield* verifyStore(store, file, 5), { same: OBJECTS, differences: [], more: 0 })
        yield* exportStore(store, again)
        assert.strictEqual(readFileSync(again, "utf8"), readFileSync(file, "utf8"))
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "leaves out the resourceVersion, which is each store's own",
    () =>
      Effect.gen(function* () {
        const file = join(yield* folder, "a.ndjson")
        const [source, target] = [yield* memory, yield* memory]
        const key = "/registry/minions/a"
        yield* put(source, key, { kind: "Node", metadata: { name: "a", resourceVersion: "", uid: "u" } })
        yield* exportStore(source, file)
        const node = { kind: "Node", metadata: { name: "a", uid: "u" } }
        assert.deepStrictEqual(JSON.parse(readFileSync(file, "utf8").split("\n")[0] ?? ""), { key, value: node })
        yield* put(target, key, { ...node, metadata: { ...node.metadata, resourceVersion: "7" } })
        for (const store of [source, target]) {
          assert.deepStrictEqual(yield* verifyStore(store, file, 5), { same: 1, differences: [], more: 0 })
        }
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "names what is missing, different and additional",
    () =>
      Effect.gen(function* () {
        const file = join(yield* folder, "a.ndjson")
        const store = yield* filled
        yield* exportStore(store, file)
        yield* put(store, "/registry/minions/n-7", { kind: "Node", metadata: { name: "other" } })
        yield* put(store, "/registry/minions/x", {})
        yield* Effect.callback<void>((resume) =>
          store.write([{ type: "delete", key: "/registry/minions/n-8" }], () => resume(Effect.void))
        )
        const { differences, more, same } = yield* verifyStore(store, file, 2)
        assert.deepStrictEqual([same, more], [OBJECTS - 2, 1])
        assert.deepStrictEqual(differences, [
          { key: "/registry/minions/n-7", is: "different" },
          { key: "/registry/minions/n-8", is: "missing" }
        ])
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "writes nothing of a file that is cut off or changed, and nothing into a store with objects",
    () =>
      Effect.gen(function* () {
        const file = join(yield* folder, "a.ndjson")
        const source = yield* filled
        yield* exportStore(source, file)
        const text = readFileSync(file, "utf8")
        const target = yield* memory
        const refusal = Effect.map(Effect.flip(importStore(target, file)), ({ message }) => message)
        writeFileSync(file, text.slice(0, text.trimEnd().lastIndexOf("\n") + 1))
        assert.include(yield* refusal, "is cut off or was changed")
        writeFileSync(file, text.replace('"pods":7}', '"pods":8}'))
        assert.include(yield* refusal, "is cut off or was changed")
        writeFileSync(file, text)
        appendFileSync(file, text)
        assert.include(yield* refusal, "has more after its last line")
        assert.strictEqual(target.revision(), 0)
        writeFileSync(file, text)
        const full = yield* Effect.flip(importStore(source, file))
        assert.include(full.message, "the store has objects already")
      }).pipe(Effect.scoped),
    60_000
  )

  it.live("overwrites no file, and says what is wrong with one that it cannot write or read", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const store = yield* memory
      const refusal = <A, E extends { readonly message: string }>(transfer: Effect.Effect<A, E>) =>
        Effect.map(Effect.flip(transfer), ({ message }) => message)
      const file = join(at, "mine.txt")
      writeFileSync(file, "mine")
      assert.include(yield* refusal(exportStore(store, file)), "EEXIST")
      assert.strictEqual(readFileSync(file, "utf8"), "mine")
      assert.include(yield* refusal(exportStore(store, join(at, "none", "a.ndjson"))), "ENOENT")
      assert.include(yield* refusal(importStore(store, join(at, "none.ndjson"))), "ENOENT")
      assert.include(yield* refusal(importStore(store, file)), "line 1 is not JSON")
      writeFileSync(file, "null\n")
      assert.include(yield* refusal(importStore(store, file)), "line 1: found null, expected an object")
    }).pipe(Effect.scoped)
  )

  it.live("removes an export that fails, and says when an import has written a part", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const source = yield* filled
      const file = join(at, "a.ndjson")
      let pages = 0
      const failing: StoreShape = {
        ...source,
        range: (prefix, options, reply) =>
          ++pages < 2
            ? source.range(prefix, options, reply)
            : reply(Result.fail(new StoreFailure({ message: "the disk is gone" })))
      }
      assert.include((yield* Effect.flip(exportStore(failing, file))).message, "the disk is gone")
      assert.isFalse(existsSync(file))
      yield* exportStore(source, file)
      const target = yield* memory
      let writes = 0
      const full: StoreShape = {
        ...target,
        write: (batch, reply) =>
          ++writes < 3
            ? target.write(batch, reply)
            : reply(Result.fail(new StoreFailure({ message: "the disk is full" })))
      }
      const { message } = yield* Effect.flip(importStore(full, file))
      assert.include(message, "the disk is full; the store has a part of the objects now")
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(noEtcd !== undefined)("the transfer of a store in etcd", () => {
  it.live(
    "is refused while API servers use the store, unless it is forced",
    () =>
      Effect.gen(function* () {
        const { url } = yield* startEtcd()
        const etcd = layerEtcd({ endpoints: [url], root: "/registry", prefix: "/registry", timeoutMs: 3000 })
        const store = Context.get(yield* Layer.build(etcd.pipe(Layer.provide(layerWallClock()))), Store)
        const servers = serverLeases(store) ?? assert.fail("no leases in etcd")
        yield* put(store, "/registry/minions/n", { kind: "Node", metadata: { name: "n" } })
        yield* servers.renew("192.0.2.1")
        yield* servers.renew("192.0.2.2")
        const file = join(yield* folder, "a.ndjson")
        const transfer = (verb: "export" | "import" | "verify", force: boolean) =>
          runTransfer({
            verb,
            file,
            force,
            folder: "",
            etcd: {
              "etcd-servers": [url],
              "etcd-prefix": "/registry",
              "etcd-cafile": "",
              "etcd-certfile": "",
              "etcd-keyfile": ""
            }
          })
        for (const verb of ["export", "import", "verify"] as const) {
          const { message } = yield* Effect.flip(transfer(verb, false))
          assert.include(message, `192.0.2.1, 192.0.2.2 serve this store`)
          assert.include(message, `before ${verb}, or give --force`)
        }
        assert.isFalse(existsSync(file))
        yield* transfer("export", true)
        yield* servers.remove("192.0.2.1")
        yield* servers.remove("192.0.2.2")
        yield* transfer("verify", false)
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
    60_000
  )
})
