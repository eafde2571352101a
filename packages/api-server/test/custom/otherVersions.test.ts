import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { type RunningServer, startServer } from "../http/startServer.ts"
import { dial, dials } from "./definitions.ts"

const DIALS = "/apis/rollcall.example.com/v1/namespaces/default/dials"

const run = <A, E>(test: (server: RunningServer) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const server = yield* startServer()
    yield* server.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { body: dials() })
    yield* server.ask("POST", DIALS, { body: dial("a") })
    return yield* test(server)
  }).pipe(Effect.scoped, Effect.provide(layerWallClock()))

const otherVersion = (version: string) =>
  `the API version in the data (${version}) does not match the expected API version (rollcall.example.com/v1)`
const noVersion = "Object 'apiVersion' is missing in 'object has no apiVersion field'"

// The answers are those of kube-apiserver v1.36.2.

describe("a custom resource of no version, or of another", () => {
  it.live("is refused for its metadata first", () =>
    run((server) =>
      Effect.gen(function* () {
        const put = Effect.fnUntraced(function* (object: object, query = "") {
          const { code, json } = yield* server.ask("PUT", `${DIALS}/a${query}`, { body: { kind: "Dial", ...object } })
          return `${code} ${json.message}`
        })
        const bad = { metadata: { name: "a", finalizers: "f" } }
        const why = "json: cannot unmarshal string into Go struct field ObjectMeta.finalizers of type []string"
        assert.strictEqual(yield* put(bad), `400 Dial in version "" cannot be handled as a Dial: ${why}`)
        const other = { ...bad, apiVersion: "b.io/v9" }
        assert.strictEqual(yield* put(other), `400 Dial in version "v9" cannot be handled as a Dial: ${why}`)
        const good = { metadata: { name: "a" } }
        assert.strictEqual(yield* put(good), `400 ${otherVersion("")}`)
        assert.strictEqual(yield* put({ ...good, apiVersion: "b.io/v9" }), `400 ${otherVersion("b.io/v9")}`)
        const odd = { metadata: { name: "a", odd: 1 } }
        assert.strictEqual(yield* put(odd), `400 ${otherVersion("")}`)
        assert.strictEqual(yield* put(odd, "?fieldValidation=Strict"), `400 ${noVersion}`)
      })
    )
  )

  it.live("is refused so as the result of a patch, too", () =>
    run((server) =>
      Effect.gen(function* () {
        const patch = Effect.fnUntraced(function* (path: string, value: unknown, query = "") {
          const body = [
            { op: "remove", path: "/apiVersion" },
            { op: "add", path, value }
          ]
          const headers = { "content-type": "application/json-patch+json" }
          const { code, json } = yield* server.ask("PATCH", `${DIALS}/a${query}`, { body, headers })
          return `${code} ${String(json.message).replace(/Invalid value: .*": /s, "")}`
        })
        const unnamed = "json: cannot unmarshal object into Go struct field ObjectMeta.name of type string"
        assert.strictEqual(yield* patch("/metadata/name", { a: 1 }), `422  "" is invalid: patch: ${unnamed}`)
        const missing = `500 Internal error occurred: ${noVersion}`
        assert.strictEqual(yield* patch("/metadata/odd", 1), missing)
        const strict = 'strict decoding error: unknown field "metadata.odd"'
        const refused = yield* patch("/metadata/odd", 1, "?fieldValidation=Strict")
        assert.strictEqual(refused, `422  "" is invalid: patch: ${strict}`)
      })
    )
  )
})
