import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startServer, wallClock } from "./startServer.ts"

const alice = { headers: { authorization: "Bearer alice" } }
const services = "/api/v1/namespaces/default/services"

// As kube-apiserver v1.36.2 answers.
describe("a name in a field selector", () => {
  it.live("is that of the request for a list or watch, and no other", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const nameIn = (method: string, query: string) =>
        Effect.map(ask(method, `${services}?${query}`, alice), ({ code, json }) => {
          assert.strictEqual(code, 403)
          return (json.details as { readonly name?: string }).name
        })
      assert.strictEqual(yield* nameIn("GET", "fieldSelector=metadata.name%3Ds"), "s")
      assert.strictEqual(yield* nameIn("GET", "watch=1&fieldSelector=metadata.name%3Ds"), "s")
      assert.isUndefined(yield* nameIn("DELETE", "fieldSelector=metadata.name%3Ds"))
      assert.isUndefined(yield* nameIn("GET", "fieldSelector=metadata.name%3Da/b"))
      assert.isUndefined(yield* nameIn("GET", "fieldSelector=metadata.name%3Ds&labelSelector=bad("))
      assert.isUndefined(yield* nameIn("GET", "watch=1&fieldSelector=metadata.name%3Ds&limit=x"))
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})

describe("the status of a flow schema", () => {
  it.live("is changed with the stored metadata", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const schemas = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"
      const spec = { priorityLevelConfiguration: { name: "catch-all" }, matchingPrecedence: 9000 }
      yield* ask("POST", schemas, { body: { metadata: { name: "f" }, spec } })
      const { code, json } = yield* ask("PATCH", `${schemas}/f/status`, {
        headers: { "content-type": "application/merge-patch+json" },
        body: { metadata: { uid: "other", generation: 7 } }
      })
      assert.strictEqual(code, 200)
      const { generation, uid } = json.metadata as { readonly generation: number; readonly uid: string }
      assert.strictEqual(generation, 1)
      assert.notStrictEqual(uid, "other")
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
