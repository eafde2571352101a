import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { startServer } from "./startServer.ts"

const JSON_OF = (kind: string, version = "v1beta1") => `application/json;v=${version};g=config.k8s.io;as=${kind}`

describe("/statusz and /flagz", () => {
  it.live("are text, or objects of config.k8s.io for clients that name them", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer({ flags: { "anonymous-auth": "true", "tls-san": "[]" } })
      const get = (path: string, accept?: string) =>
        ask("GET", path, { headers: accept === undefined ? {} : { accept } })
      const flagz = yield* get("/flagz", JSON_OF("Flagz"))
      assert.strictEqual(flagz.headers["content-type"], "application/json;g=config.k8s.io;v=v1beta1;as=Flagz")
      assert.deepStrictEqual(flagz.json, {
        kind: "Flagz",
        apiVersion: "config.k8s.io/v1beta1",
        metadata: { name: "apiserver" },
        flags: { "anonymous-auth": "true", "tls-san": "[]" }
      })
      assert.match(
        (yield* get("/flagz")).body,
        /^\napiserver flagz\nWarning: .*\.\nanonymous-auth=true\ntls-san=\[\]\n$/
      )
      const statusz = yield* get("/statusz", JSON_OF("Statusz", "v1alpha1"))
      assert.strictEqual(statusz.json.apiVersion, "config.k8s.io/v1alpha1")
      assert.strictEqual(statusz.json.binaryVersion, "1.36")
      assert.include(statusz.json.paths, "/flagz")
      assert.match(String(statusz.headers.warning), /^299 - "This version of the statusz endpoint is deprecated\./)
      const yaml = yield* get("/statusz", "application/yaml;v=v1beta1;g=config.k8s.io;as=Statusz")
      assert.match(yaml.body, /^apiVersion: config\.k8s\.io\/v1beta1\n/)
      assert.match((yield* get("/statusz", "text/html,*/*;q=0.1")).body, /^\napiserver statusz\n/)
      for (const accept of ["application/json", "text/html", JSON_OF("Flagz")]) {
        const refused = yield* get("/statusz", accept)
        assert.strictEqual(refused.code, 406)
        assert.include(refused.json.message, "application/json, application/yaml, text/plain")
      }
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )
})

describe("paths below /debug", () => {
  it.live("name unknown profiles as Go does", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const profile = yield* ask("GET", "/debug/pprof/nope")
      assert.strictEqual(`${profile.code} ${profile.body}`, "404 Unknown profile\n")
      assert.strictEqual(profile.headers["x-go-pprof"], "1")
      assert.strictEqual((yield* ask("GET", "/debug/nope")).body, "404 page not found\n")
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )
})
