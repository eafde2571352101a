import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { dial, dials } from "../custom/definitions.ts"
import { type RunningServer, startServer } from "../http/startServer.ts"

const API = "/apis/admissionregistration.k8s.io/v1"
const DIALS = "/apis/rollcall.example.com/v1/namespaces/default/dials"
const MAPS = "/api/v1/namespaces/default/configmaps"

const patch = (operation: string) => ({
  patchType: "JSONPatch",
  jsonPatch: { expression: `[JSONPatch{${operation}}]` }
})
const addUnknown = patch("op: 'add', path: '/unknown', value: 1")
const label = {
  patchType: "ApplyConfiguration",
  applyConfiguration: { expression: "Object{metadata: Object.metadata{labels: {'a': 'b'}}}" }
}

/** Starts a server with Dials and a policy that changes them and ConfigMaps. */
const run = <A, E>(mutations: ReadonlyArray<object>, test: (server: RunningServer) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const server = yield* startServer()
    const post = Effect.fnUntraced(function* (path: string, body: object) {
      const made = yield* server.ask("POST", path, { body })
      assert.strictEqual(made.code, 201, made.body)
    })
    yield* post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", dials())
    yield* post(DIALS, dial("stored"))
    const operations = ["CREATE", "UPDATE"]
    const rule = { apiGroups: ["*"], apiVersions: ["*"], operations, resources: ["dials", "configmaps"] }
    const spec = { reinvocationPolicy: "IfNeeded", matchConstraints: { resourceRules: [rule] }, mutations }
    yield* post(`${API}/mutatingadmissionpolicies`, { metadata: { name: "m" }, spec })
    yield* post(`${API}/mutatingadmissionpolicybindings`, { metadata: { name: "b" }, spec: { policyName: "m" } })
    return yield* test(server)
  }).pipe(Effect.scoped, Effect.provide(layerWallClock()))

const labelStored = ({ ask }: RunningServer) =>
  ask("PATCH", `${DIALS}/stored`, {
    body: { metadata: { labels: { c: "d" } } },
    headers: { "content-type": "application/merge-patch+json" }
  })

const unsettled =
  "policy 'm' with binding 'b' denied request: error applying patch: failed to convert original object to typed object: "

// The answers are those of kube-apiserver v1.36.2.

describe("a JSON patch of a policy that adds an unknown field", () => {
  it.live("changes a custom resource with a field whose name begins as that of its status does", () =>
    run([patch("op: 'add', path: '/status.x', value: 1")], (server) =>
      Effect.map(labelStored(server), ({ code, json }) => {
        assert.deepStrictEqual([code, json.metadata.generation], [200, 2])
      })
    )
  )

  it.live("adds none to what is read of a custom resource, but an update of it is a change", () =>
    run([addUnknown], (server) =>
      Effect.gen(function* () {
        const made = yield* server.ask("POST", DIALS, { body: dial("a") })
        assert.deepStrictEqual([made.code, made.json.unknown, made.json.metadata.generation], [201, undefined, 1])
        const updated = yield* labelStored(server)
        assert.deepStrictEqual([updated.code, updated.json.metadata.generation], [200, 2])
        const map = yield* server.ask("POST", MAPS, { body: { metadata: { name: "a" } } })
        const text = 'Internal error occurred: strict decoding error: unknown field "unknown"'
        assert.deepStrictEqual([map.code, map.json.message], [500, text])
      })
    )
  )

  it.live("makes a custom resource one to which no configuration applies", () =>
    run([label, addUnknown], (server) =>
      Effect.gen(function* () {
        const undeclared = `${unsettled}.unknown: field not declared in schema`
        for (const { code, json } of [
          yield* server.ask("POST", DIALS, { body: dial("a") }),
          yield* labelStored(server)
        ]) {
          assert.deepStrictEqual([code, json.reason, json.message], [403, "Invalid", undeclared])
        }
      })
    )
  )
})

describe("a mutating policy", () => {
  it.live("applies no configuration to a custom resource of other types than those of its schema", () =>
    run([label], (server) =>
      Effect.gen(function* () {
        const { code, json } = yield* server.ask("POST", DIALS, { body: dial("a", { size: 1, color: 2 }) })
        const text = `${unsettled}.spec.color: expected string, got &value.valueUnstructured{Value:2}`
        assert.deepStrictEqual([code, json.message], [403, text])
      })
    )
  )

  it.live("can take the name of a new object with its metadata", () =>
    run([patch("op: 'remove', path: '/metadata'")], (server) =>
      Effect.gen(function* () {
        const detail = "is invalid: metadata.name: Required value: name or generateName is required"
        const made = yield* server.ask("POST", DIALS, { body: dial("a") })
        assert.deepStrictEqual([made.code, made.json.message], [422, `Dial.rollcall.example.com "" ${detail}`])
        const map = yield* server.ask("POST", MAPS, { body: { metadata: { name: "a" } } })
        assert.deepStrictEqual([map.code, map.json.message], [422, `ConfigMap "" ${detail}`])
      })
    )
  )
})
