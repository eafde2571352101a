import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startServer, wallClock } from "./startServer.ts"

// As kube-apiserver v1.36.2 answers.
describe("a request for a missing object", () => {
  it.live("is refused for its options first", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const messageOf = (path: string) => Effect.map(ask("GET", path), ({ json }) => json.message)
      const pod = "/api/v1/namespaces/default/pods/p"
      assert.strictEqual(
        yield* messageOf(`${pod}/log?sinceSeconds=0`),
        'PodLogOptions "p" is invalid: sinceSeconds: Invalid value: 0: must be greater than 0'
      )
      assert.strictEqual(yield* messageOf(`${pod}/log?tailLines=x`), 'strconv.ParseInt: parsing "x": invalid syntax')
      assert.strictEqual(yield* messageOf(`${pod}/log`), 'pods "p" not found')
      const fault =
        'invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax'
      for (const path of ["/api/v1", "/apis/events.k8s.io/v1"])
        assert.strictEqual(yield* messageOf(`${path}/namespaces/default/events/e?resourceVersion=x`), fault)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
