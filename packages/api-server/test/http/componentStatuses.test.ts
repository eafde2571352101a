import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startServer, wallClock } from "./startServer.ts"

const PATH = "/api/v1/componentstatuses"
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"

// As kube-apiserver v1.36.2 answers.
describe("component statuses", () => {
  it.live("say how the store is, in objects and in tables, with a warning", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const one = yield* ask("GET", `${PATH}/etcd-0`)
      assert.strictEqual(one.headers.warning, '299 - "v1 ComponentStatus is deprecated in v1.19+"')
      assert.deepStrictEqual(one.json, {
        kind: "ComponentStatus",
        apiVersion: "v1",
        metadata: { name: "etcd-0" },
        conditions: [{ type: "Healthy", status: "True", message: "ok" }]
      })
      const all = yield* ask("GET", PATH)
      const names = all.json.items.map(
        ({ metadata }: { readonly metadata: { readonly name: string } }) => metadata.name
      )
      assert.deepStrictEqual(names, ["controller-manager", "scheduler", "etcd-0"])
      const table = yield* ask("GET", PATH, { headers: { accept: TABLE } })
      assert.deepStrictEqual(table.json.rows[2].cells, ["etcd-0", "Healthy", "ok", ""])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("are listed by name, have no labels, and are not watched", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const named = yield* ask("GET", `${PATH}?fieldSelector=metadata.name%3Detcd-0`)
      assert.deepStrictEqual([named.json.items.length, named.json.items[0].metadata.name], [1, "etcd-0"])
      assert.deepStrictEqual((yield* ask("GET", `${PATH}?labelSelector=a%3Db`)).json.items, [])
      const watched = yield* ask("GET", `${PATH}?watch=true`)
      assert.strictEqual(watched.json.message, 'watch is not supported on resources of kind "componentstatuses"')
      assert.strictEqual(watched.code, 405)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("are read only, and have three names", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const missing = yield* ask("GET", `${PATH}/nothing`)
      assert.strictEqual(missing.json.message, 'componentstatus "nothing" not found')
      assert.deepStrictEqual([missing.code, missing.json.details.kind], [404, "componentstatus"])
      assert.strictEqual((yield* ask("POST", PATH, { body: {} })).code, 405)
      assert.strictEqual((yield* ask("DELETE", `${PATH}/etcd-0`)).code, 405)
      assert.strictEqual((yield* ask("GET", `/api/v1/watch/componentstatuses`)).code, 404)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
