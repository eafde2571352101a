import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type { Authorizer, SecuritySource } from "../../src/core/ports/Security.ts"
import { tokenRequests } from "../../src/security/reviews/tokenRequests.ts"
import { startServer } from "./startServer.ts"

describe("a review that is posted", () => {
  it.live(
    "is shown in its refusal with structs in the order of their fields, and maps sorted",
    () =>
      Effect.gen(function* () {
        const { ask } = yield* startServer()
        const owner = { uid: "u", name: "n", kind: "Pod", blockOwnerDeletion: true, apiVersion: "v1" }
        const metadata = { ownerReferences: [owner], labels: { b: "1", a: "2" }, name: "r" }
        const spec = { nonResourceAttributes: { path: "/healthz", verb: "get" } }
        const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
        const { json } = yield* ask("POST", path, { body: { metadata, spec } })
        const reference = '{"apiVersion":"v1","kind":"Pod","name":"n","uid":"u","blockOwnerDeletion":true}'
        assert.include(
          json.message,
          `Invalid value: {"name":"r","labels":{"a":"2","b":"1"},"ownerReferences":[${reference}]`
        )
      }).pipe(Effect.scoped, Effect.provide(layerWallClock())),
    30_000
  )

  it("has defaults before it has owners, as a request for a token", () => {
    const { defaults } = tokenRequests(
      {} as Parameters<typeof tokenRequests>[0],
      {} as SecuritySource,
      {} as Authorizer
    )
    const request = (spec: unknown) =>
      ({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata: {}, spec }) as KubeObject
    for (const spec of [undefined, {}, { audiences: ["a"] }])
      assert.deepStrictEqual(defaults?.(request(spec)), request({ ...spec, expirationSeconds: 3600 }))
    assert.deepStrictEqual(defaults?.(request({ expirationSeconds: 0 })), request({ expirationSeconds: 0 }))
  })
})
