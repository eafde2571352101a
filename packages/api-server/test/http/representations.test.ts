import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startServer, wallClock } from "./startServer.ts"

const asList = { headers: { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" } }

// As kube-apiserver v1.36.2 answers.
describe("an object asked for as a list", () => {
  it.live("is named by its internal type, which both groups of events share", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const event = { metadata: { name: "e" }, involvedObject: { namespace: "default" } }
      yield* ask("POST", "/api/v1/namespaces/default/events", { body: event })
      for (const path of ["/api/v1", "/apis/events.k8s.io/v1"]) {
        const { code, json } = yield* ask("GET", `${path}/namespaces/default/events/e`, asList)
        assert.strictEqual(code, 406)
        assert.strictEqual(
          json.message,
          "you requested PartialObjectMetadataList, but the requested object is not a list (*core.Event)"
        )
      }
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
