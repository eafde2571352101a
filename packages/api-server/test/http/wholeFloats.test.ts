import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startServer, wallClock } from "./startServer.ts"

const GROUP = "/apis/example.com/v1/namespaces/default/knobs"

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true }
const definition = {
  metadata: { name: "knobs.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "knobs", singular: "knob", kind: "Knob" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", properties: { spec: anything, status: anything } } }
      }
    ]
  }
}

const knob = (size: string, status = "1") =>
  `{"apiVersion":"example.com/v1","kind":"Knob","metadata":{"name":"a"},"spec":{"size":${size}},"status":{"size":${status}}}`

/** Upstream compares the decoded objects, in which a number with a fraction or an exponent is a float64. */
const writes: ReadonlyArray<readonly [write: string, type: string | undefined, body: string, moves: boolean]> = [
  ["an equal integer", undefined, knob("7"), false],
  ["a fraction of 0", undefined, knob("7.0"), true],
  ["the same again, which is stored as an integer", undefined, knob("7.0"), true],
  ["an exponent", undefined, knob("70e-1"), true],
  ["a float of the status, which the write resets", undefined, knob("7", "1.0"), false],
  ["a label, by a patch", "merge-patch", `{"metadata":{"labels":{"a":"7.0"}}}`, false],
  ["a fraction of 0, by a merge patch", "merge-patch", `{"spec":{"size":7.0}}`, true],
  ["a fraction of 0, by a JSON patch", "json-patch", `[{"op":"replace","path":"/spec/size","value":7.0}]`, true],
  ["what an apply converts to an integer", "apply-patch", knob("7.0").replace(/,"status.*/, "}"), false]
]

describe("a whole number of a custom resource that is written as a float", () => {
  it.live("is a change of the integer that is stored", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      yield* ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { body: definition })
      yield* Effect.sleep("50 millis")
      let { generation, resourceVersion } = (yield* ask("POST", GROUP, { body: knob("7.0") })).json.metadata
      assert.strictEqual(generation, 1)
      for (const [write, type, given, moves] of writes) {
        const revision = `"metadata":{"resourceVersion":"${resourceVersion}",`
        const body = type === undefined ? given.replace('"metadata":{', revision) : given
        const suffix = type === "apply-patch" ? "yaml" : "json"
        const headers = type === undefined ? {} : { "content-type": `application/${type}+${suffix}` }
        const method = type === undefined ? "PUT" : "PATCH"
        const query = type === "apply-patch" ? "?fieldManager=m&force=true" : ""
        const answer = yield* ask(method, `${GROUP}/a${query}`, { body, headers })
        assert.strictEqual(answer.code, 200, `${write}: ${answer.body}`)
        assert.strictEqual(answer.json.metadata.generation - generation, moves ? 1 : 0, write)
        assert.include(answer.body, '"size":7', write)
        ;({ generation, resourceVersion } = answer.json.metadata)
      }
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
