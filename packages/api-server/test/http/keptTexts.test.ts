import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startServer, wallClock } from "./startServer.ts"

const API = "/apis/resource.k8s.io/v1"
const merge = { "content-type": "application/merge-patch+json" }

describe("what Go keeps as text", () => {
  it.live("moves the generation of a class when its text changes alone", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const generationAfterPatch = Effect.fnUntraced(function* (name: string, parameters: string) {
        const config = `[{"opaque":{"driver":"a.b","parameters":${parameters}}}]`
        yield* ask("POST", `${API}/deviceclasses`, {
          body: `{"metadata":{"name":"${name}"},"spec":{"config":${config}}}`
        })
        const patched = yield* ask("PATCH", `${API}/deviceclasses/${name}`, {
          headers: merge,
          body: { metadata: { labels: { a: "b" } } }
        })
        return patched.json.metadata.generation
      })
      assert.strictEqual(yield* generationAfterPatch("compact", '{"q":1}'), 1)
      // A patch reads the object in compact form.
      assert.strictEqual(yield* generationAfterPatch("spaced", '{"q": 1}'), 2)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("refuses another text of an allocation", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const claims = `${API}/namespaces/default/resourceclaims`
      const requests = [{ name: "r", exactly: { deviceClassName: "c" } }]
      yield* ask("POST", claims, { body: { metadata: { name: "c" }, spec: { devices: { requests } } } })
      const results = '[{"request":"r","driver":"a.b","pool":"p","device":"d"}]'
      const allocate = (parameters: string) => {
        const config = `[{"source":"FromClaim","opaque":{"driver":"a.b","parameters":${parameters}}}]`
        return ask("PATCH", `${claims}/c/status`, {
          headers: merge,
          body: `{"status":{"allocation":{"devices":{"results":${results},"config":${config}}}}}`
        })
      }
      assert.strictEqual((yield* allocate('{"a":1,"b":2}')).code, 200)
      assert.strictEqual((yield* allocate('{"a":1,"b":2}')).code, 200)
      const stored = yield* ask("GET", `${claims}/c`)
      const put = (text: string) => ask("PUT", `${claims}/c/status`, { body: text })
      const text = JSON.stringify(stored.json)
      assert.strictEqual((yield* put(text)).code, 200)
      const { code, json } = yield* put(text.replace('{"a":1,"b":2}', '{"a": 1,"b":2}'))
      assert.strictEqual(code, 422)
      assert.include(json.message, "status.allocation: Invalid value")
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("writes it anew on an apply", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const path = "/apis/apps/v1/namespaces/default/controllerrevisions/r"
      const apply = { "content-type": "application/apply-patch+yaml" }
      const kind = '"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"r"}'
      const body = `{${kind},"revision":7,"data":{"z": 1,"a":"<&>"}}`
      assert.strictEqual((yield* ask("PATCH", `${path}?fieldManager=m`, { headers: apply, body })).code, 201)
      // A patch escapes the text, as the apply did: it does not change the data, which it may not.
      const labelled = yield* ask("PATCH", path, { headers: merge, body: { metadata: { labels: { a: "b" } } } })
      assert.strictEqual(labelled.code, 200)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
