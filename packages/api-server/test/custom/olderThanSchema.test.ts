import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { type RunningServer, startServer } from "../http/startServer.ts"
import { dial, dials, schema } from "./definitions.ts"

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
const DIALS = "/apis/rollcall.example.com/v1/namespaces/default/dials"
const SLOW = 30_000

const run = <A, E>(test: (server: RunningServer) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const server = yield* startServer()
    const made = yield* server.ask("POST", DEFINITIONS, { body: dials() })
    assert.strictEqual(made.code, 201, made.body)
    return yield* test(server)
  }).pipe(Effect.scoped, Effect.provide(layerWallClock()))

const managersOf = ({ json }: { readonly json: { readonly metadata?: { readonly managedFields?: unknown } } }) =>
  ((json.metadata?.managedFields ?? []) as ReadonlyArray<{ readonly manager: string }>).map(({ manager }) => manager)

const merge = (server: RunningServer, path: string, body: object) =>
  server.ask("PATCH", path, { body, headers: { "content-type": "application/merge-patch+json" } })

const apply = (server: RunningServer, path: string, body: object) =>
  server.ask("PATCH", path, { body, headers: { "content-type": "application/apply-patch+yaml" } })

// The answers are those of kube-apiserver v1.36.2.

describe("the owners of a custom resource that is not of its type", () => {
  it.live(
    "are dropped with a status of another type, which the write does not change",
    () =>
      run((server) =>
        Effect.gen(function* () {
          const bad = { ...dial("bad"), status: { count: "x" } }
          assert.deepStrictEqual(managersOf(yield* server.ask("POST", `${DIALS}?fieldManager=a`, { body: bad })), [])
          const good = { ...dial("good"), status: { count: 1 } }
          const made = yield* server.ask("POST", `${DIALS}?fieldManager=a`, { body: good })
          assert.deepStrictEqual(managersOf(made), ["a"])
          const path = `${DIALS}/good?fieldManager=b`
          assert.deepStrictEqual(managersOf(yield* merge(server, path, { spec: { size: 3 } })), ["a", "b"])
          const patched = yield* merge(server, path, { spec: { size: 4 }, status: { phase: 1 } })
          assert.deepStrictEqual([patched.code, patched.json.spec.size, managersOf(patched)], [200, 4, []])
        })
      ),
    SLOW
  )

  it.live("are dropped by updates, and refuse applies, once its schema is another", () =>
    run((server) =>
      Effect.gen(function* () {
        yield* server.ask("POST", `${DIALS}?fieldManager=a`, { body: dial("old", { size: 2, note: "n" }) })
        yield* server.ask("POST", `${DIALS}?fieldManager=a`, { body: dial("bare", { size: 2, note: "n" }) })
        yield* merge(server, `${DIALS}/bare`, { metadata: { managedFields: [{}] } })
        const { spec } = schema.properties
        const properties = { ...spec.properties, note: { type: "integer" } }
        const changed = { ...schema, properties: { ...schema.properties, spec: { ...spec, properties } } }
        const versions = [0, 1].map((index) => ({
          op: "replace",
          path: `/spec/versions/${index}/schema/openAPIV3Schema`,
          value: changed
        }))
        const jsonPatch = { body: versions, headers: { "content-type": "application/json-patch+json" } }
        const moved = yield* server.ask("PATCH", `${DEFINITIONS}/dials.rollcall.example.com`, jsonPatch)
        assert.strictEqual(moved.code, 200, moved.body)
        const config = { apiVersion: "rollcall.example.com/v1", kind: "Dial", spec: { size: 4 } }
        const named = (name: string) => ({ ...config, metadata: { name } })
        const fault = "rollcall.example.com/v1, Kind=Dial)"
        const why = ".spec.note: expected numeric (int or float), got string"
        const old = yield* apply(server, `${DIALS}/old?fieldManager=b&force=true`, named("old"))
        assert.strictEqual(old.json.message, `failed to create typed live object (default/old; ${fault}: ${why}`)
        const bare = yield* apply(server, `${DIALS}/bare?fieldManager=b&force=true`, named("bare"))
        assert.strictEqual(
          bare.json.message,
          `failed to create manager for existing fields: failed to convert new object (default/bare; ${fault} to smd typed: ${why}`
        )
        const patched = yield* merge(server, `${DIALS}/old?fieldManager=b`, { spec: { size: 5 } })
        assert.deepStrictEqual([patched.code, managersOf(patched)], [200, []])
      })
    )
  )
})

describe("a custom resource whose schema has another type for a part of it", () => {
  it.live("is read without the fields of that part, keeps it in a write, and loses its owners", () =>
    run((server) =>
      Effect.gen(function* () {
        const tags = ["a"]
        yield* server.ask("POST", DIALS, { body: dial("old", { size: 2, tags, parts: [{ name: "p" }] }) })
        const { spec } = schema.properties
        const properties = {
          ...spec.properties,
          parts: { type: "integer" },
          tags: { type: "object", "x-kubernetes-preserve-unknown-fields": true }
        }
        const changed = { ...schema, properties: { ...schema.properties, spec: { ...spec, properties } } }
        const operations = [0, 1].map((index) => ({
          op: "replace",
          path: `/spec/versions/${index}/schema/openAPIV3Schema`,
          value: changed
        }))
        const headers = { "content-type": "application/json-patch+json" }
        yield* server.ask("PATCH", `${DEFINITIONS}/dials.rollcall.example.com`, { body: operations, headers })
        const read = yield* server.ask("GET", `${DIALS}/old`)
        assert.deepStrictEqual([read.json.spec.parts, managersOf(read).length], [[{}], 1])
        const patched = yield* merge(server, `${DIALS}/old`, { spec: { parts: [{ name: "p" }] } })
        assert.deepStrictEqual([patched.code, patched.json.spec.parts, managersOf(patched)], [200, [{}], []])
        const named = { apiVersion: "rollcall.example.com/v1", kind: "Dial", metadata: { name: "old" } }
        const refused = yield* apply(server, `${DIALS}/old?fieldManager=b`, { ...named, spec: { tags } })
        assert.match(refused.json.message, /\.spec\.tags: expected map, got &\{\[a\]\}/)
      })
    )
  )
})

describe("the body of a custom resource", () => {
  it.live("fails at the first wrong type of its metadata by name, and names its own kind when it is strict", () =>
    run((server) =>
      Effect.gen(function* () {
        const odd = { ...dial("a"), metadata: { name: "a", labels: { b: 1 }, annotations: { a: 2 } } }
        const { json } = yield* server.ask("POST", DIALS, { body: odd })
        const field = "Go struct field ObjectMeta.annotations of type string"
        assert.strictEqual(
          json.message,
          `Dial in version "v1" cannot be handled as a Dial: json: cannot unmarshal number into ${field}`
        )
        const twice = JSON.stringify(dial("a")).replace('"kind":"Dial"', '"kind":"Dial","kind":"Other"')
        const strict = yield* server.ask("POST", `${DIALS}?fieldValidation=Strict`, { body: twice })
        assert.strictEqual(
          strict.json.message,
          'Other in version "v1" cannot be handled as a Other: strict decoding error: duplicate field "kind"'
        )
        const secret = '{"kind":"ConfigMap","kind":"Secret","apiVersion":"v1","metadata":{"name":"k"}}'
        const path = "/api/v1/namespaces/default/configmaps?fieldValidation=Strict"
        assert.strictEqual(
          (yield* server.ask("POST", path, { body: secret })).json.message,
          'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion'
        )
      })
    )
  )
})

describe("a custom resource of another kind", () => {
  it.live("is refused for that, with no word of fields that no schema describes", () =>
    run((server) =>
      Effect.gen(function* () {
        const body = { ...dial("a", { size: { x: 1 }, other: 1 }), kind: "Other" }
        const posted = yield* server.ask("POST", `${DIALS}?fieldValidation=Strict`, { body })
        assert.match(posted.json.message, /^Other\.\S+ "a" is invalid: kind: Invalid value: "Other": must be Dial$/)
        yield* server.ask("POST", DIALS, { body: dial("a", { size: 2 }) })
        const patched = yield* merge(server, `${DIALS}/a?fieldValidation=Strict`, { kind: "Other", spec: { other: 1 } })
        assert.strictEqual(patched.json.message, posted.json.message)
        const unknown = { apiVersion: "rollcall.example.com/v9", spec: { size: 3 } }
        const newer = yield* merge(server, `${DIALS}/a?fieldValidation=Strict`, unknown)
        assert.match(newer.json.message, /: strict decoding error: unknown field "spec"$/)
      })
    )
  )
})

describe("a value that its schema has no type for", () => {
  it.live("has unknown fields, which come before its type", () =>
    run((server) =>
      Effect.gen(function* () {
        const body = dial("a", { size: { x: 1 }, tags: { y: 1 }, parts: [[{ z: 1 }]], color: 3 })
        const { json } = yield* server.ask("POST", `${DIALS}?fieldValidation=Strict`, { body })
        const unknown = ['"spec.parts[0][0].z"', '"spec.size.x"', '"spec.tags.y"'].map(
          (path) => `unknown field ${path}`
        )
        assert.strictEqual(
          json.message,
          `Dial in version "v1" cannot be handled as a Dial: strict decoding error: ${unknown.join(", ")}`
        )
        const large = { ...dial("a"), metadata: { name: ["a"], deletionGracePeriodSeconds: 9007199254740993n } }
        const field = "Go struct field ObjectMeta.name of type string"
        assert.strictEqual(
          (yield* server.ask("POST", DIALS, { body: JSON.stringify(large) })).json.message,
          `Dial in version "v1" cannot be handled as a Dial: json: cannot unmarshal array into ${field}`
        )
      })
    )
  )
})

describe("a dry run of a PUT that creates", () => {
  it.live("answers with the revision and the link that the caller sent", () =>
    run((server) =>
      Effect.gen(function* () {
        const metadata = { name: "l", selfLink: "/a", resourceVersion: "5" }
        const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata }
        const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
        const put = yield* server.ask("PUT", `${leases}/l?dryRun=All`, { body: lease })
        assert.deepInclude(put.json.metadata, { selfLink: "/a", resourceVersion: "5" })
        const posted = yield* server.ask("POST", `${leases}?dryRun=All`, { body: lease })
        assert.deepInclude(posted.json.metadata, { resourceVersion: "5" })
        assert.notProperty(posted.json.metadata, "selfLink")
        const stored = yield* server.ask("PUT", `${leases}/l`, { body: lease })
        assert.notProperty(stored.json.metadata, "selfLink")
      })
    )
  )
})
