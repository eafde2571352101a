import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { featureGatesOf, releases } from "@rollcall/api"
import { Timers, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { defineCustom } from "../../src/core/registry/defineCustom.ts"
import { startServer, wallClock } from "./startServer.ts"

const CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
const configMap = (name: string, data: object = {}) => ({ metadata: { name }, data })

describe("the API over HTTP", () => {
  it.live("creates, shows, changes, lists and deletes", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const created = yield* ask("POST", CONFIGMAPS, { body: configMap("a", { k: "v" }) })
      assert.strictEqual(created.code, 201)
      assert.deepStrictEqual(Object.keys(created.json), ["kind", "apiVersion", "metadata", "data"])
      assert.strictEqual(created.headers["cache-control"], "no-cache, private")
      assert.match(String(created.headers["audit-id"]), /^[0-9a-f-]{36}$/)
      const merge = { "content-type": "application/merge-patch+json" }
      const patched = yield* ask("PATCH", `${CONFIGMAPS}/a`, { headers: merge, body: { data: { k: "w" } } })
      assert.strictEqual(patched.json.data.k, "w")
      const list = yield* ask("GET", CONFIGMAPS)
      assert.deepStrictEqual([list.json.kind, list.json.items.length], ["ConfigMapList", 1])
      const deleted = yield* ask("DELETE", `${CONFIGMAPS}/a`)
      assert.deepStrictEqual([deleted.code, deleted.json.status], [200, "Success"])
      assert.strictEqual((yield* ask("GET", `${CONFIGMAPS}/a`)).code, 404)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("refuses paths and methods as a genuine server does", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const code = (method: string, path: string) => Effect.map(ask(method, path), (answer) => answer.code)
      assert.strictEqual(yield* code("GET", "/apis/nothing.example.com/v1/things"), 404)
      assert.strictEqual(yield* code("GET", "/api/v1/things"), 404)
      assert.strictEqual(yield* code("GET", "/api/v1/namespaces/default/nodes"), 404)
      assert.strictEqual(yield* code("GET", "/api/v1/pods/p"), 404)
      assert.strictEqual(yield* code("GET", "/api/v1/nodes/n/status/more"), 404)
      assert.strictEqual(yield* code("DELETE", "/api/v1/namespaces"), 405)
      assert.strictEqual(yield* code("POST", "/api/v1/configmaps"), 405)
      assert.strictEqual(yield* code("DELETE", "/api/v1/pods"), 405)
      assert.strictEqual(yield* code("GET", "/api/v1/namespaces/default/pods/p/binding"), 405)
      assert.strictEqual(yield* code("GET", "/api/v1/nodes/%zz"), 400)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  // As kube-apiserver v1.36.2 answers.
  it.live("shows the hash of the version in which objects are stored, not of that which is served", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const hashOf = (group: string, name: string) =>
        Effect.map(
          ask("GET", `/apis/${group}/v1`),
          ({ json }) =>
            json.resources.find((resource: { readonly name: string }) => resource.name === name).storageVersionHash
        )
      assert.deepStrictEqual(
        yield* Effect.all([
          hashOf("admissionregistration.k8s.io", "mutatingadmissionpolicies"),
          hashOf("admissionregistration.k8s.io", "mutatingadmissionpolicybindings"),
          hashOf("apiextensions.k8s.io", "customresourcedefinitions")
        ]),
        ["LYmCf+UMVdg=", "90V5FRZZ3Zg=", "jfWCUB31mvA="]
      )
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("removes the owners of an autoscaler of v1 as of any object", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const path = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
      const spec = { scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" }, maxReplicas: 3 }
      const created = yield* ask("POST", path, { body: { metadata: { name: "a" }, spec } })
      assert.property(created.json.metadata, "managedFields")
      const metadata = { name: "a", managedFields: [] }
      const updated = yield* ask("PUT", `${path}/a`, { body: { metadata, spec: created.json.spec } })
      assert.strictEqual(updated.code, 200)
      assert.notProperty(updated.json.metadata, "managedFields")
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("counts what the status of an autoscaler of v1 becomes as its writer's", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const path = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
      const spec = { scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" }, maxReplicas: 3 }
      yield* ask("POST", path, { body: { metadata: { name: "a" }, spec } })
      const headers = { "content-type": "application/merge-patch+json" }
      const body = { status: { currentCPUUtilizationPercentage: 50 } }
      const patched = yield* ask("PATCH", `${path}/a?fieldManager=m`, { headers, body })
      const entry = patched.json.metadata.managedFields.find(({ manager }: { manager: string }) => manager === "m")
      const annotations = { ".": {}, "f:autoscaling.alpha.kubernetes.io/current-metrics": {} }
      assert.deepStrictEqual(entry?.fieldsV1, { "f:metadata": { "f:annotations": annotations } })
      assert.notProperty(patched.json.metadata, "annotations")
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("limits and compresses bodies", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const tooLarge = yield* ask("POST", CONFIGMAPS, { body: " ".repeat(3 * 1024 * 1024 + 1) })
      assert.deepStrictEqual(
        [tooLarge.code, tooLarge.json.message],
        [413, "Request entity too large: limit is 3145728"]
      )
      yield* ask("POST", CONFIGMAPS, { body: configMap("big", { k: "x".repeat(131_072) }) })
      const headers = { "accept-encoding": "gzip" }
      const packed = yield* ask("GET", `${CONFIGMAPS}/big`, { headers })
      assert.strictEqual(packed.headers["content-encoding"], "gzip")
      assert.strictEqual(JSON.parse(gunzipSync(packed.bytes).toString()).metadata.name, "big")
      assert.isUndefined((yield* ask("GET", "/api/v1/nodes", { headers })).headers["content-encoding"])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("negotiates tables, metadata, YAML and protobuf", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      yield* ask("POST", CONFIGMAPS, { body: configMap("a") })
      const as = (accept: string, path = `${CONFIGMAPS}/a`) => ask("GET", path, { headers: { accept } })
      assert.strictEqual((yield* as(`${TABLE},application/json`)).json.kind, "Table")
      const odd = yield* as(TABLE, `${CONFIGMAPS}?includeObject=<Odd`)
      const text =
        "Unable to convert to Table as requested: includeObject: Invalid value: \"\\u003cOdd\": must be 'Metadata', 'Object', 'None', or empty"
      assert.deepStrictEqual([odd.code, odd.json.message], [400, text])
      const none = yield* as(TABLE, `${CONFIGMAPS}?includeObject=None`)
      assert.isNull(none.json.rows[0].object)
      const yaml = yield* as("application/yaml")
      assert.include(yaml.body, "kind: ConfigMap\n")
      const binary = yield* as("application/vnd.kubernetes.protobuf, application/json")
      assert.strictEqual(binary.bytes.subarray(0, 4).toString("latin1"), "k8s\0")
      assert.strictEqual((yield* as("application/json;as=Table;v=v2;g=meta.k8s.io")).code, 406)
      assert.strictEqual((yield* as("text/html, application/json;q=0.5")).code, 200)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("has no tables of parts whose storage makes none", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const definition = {
        metadata: { name: "things.example.com" },
        spec: {
          group: "example.com",
          scope: "Cluster",
          names: { plural: "things", kind: "Thing" },
          versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }]
        }
      }
      const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
      assert.strictEqual((yield* ask("POST", definitions, { body: definition })).code, 201)
      const code = (method: string, path: string, body?: object) =>
        Effect.map(ask(method, path, { headers: { accept: TABLE }, ...(body && { body }) }), (answer) => answer.code)
      assert.strictEqual(yield* code("GET", `${definitions}/things.example.com`), 200)
      assert.strictEqual(yield* code("GET", `${definitions}/things.example.com/status`), 406)
      const namespace = { metadata: { name: "default" }, spec: { finalizers: ["kubernetes"] } }
      assert.strictEqual(yield* code("GET", "/api/v1/namespaces/default/status"), 200)
      assert.strictEqual(yield* code("PUT", "/api/v1/namespaces/default/finalize", namespace), 406)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("compares what it keeps as text as text", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const claims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
      const config = (parameters: string) => `[{"opaque":{"driver":"a.b","parameters":${parameters}}}]`
      const create = (name: string, parameters: string) =>
        ask("POST", claims, {
          body: `{"metadata":{"name":"${name}"},"spec":{"devices":{"requests":[],"config":${config(parameters)}}}}`
        })
      const merge = { "content-type": "application/merge-patch+json" }
      const label = (name: string) =>
        ask("PATCH", `${claims}/${name}`, { headers: merge, body: { metadata: { labels: { a: "b" } } } })
      yield* create("compact", '{"z":1,"a":2}')
      assert.strictEqual((yield* label("compact")).code, 200)
      // A patch reads the object in compact form: the text of the parameters, which may not change, is another one then.
      yield* create("spaced", '{"z": 1,"a":2}')
      const { code, json } = yield* label("spaced")
      assert.strictEqual(code, 422)
      assert.include(json.message, '"Parameters":{"z":1,"a":2}}')
      const apply = { "content-type": "application/apply-patch+yaml" }
      const applied = yield* ask("PATCH", `${claims}/compact?fieldManager=m&force=true`, {
        headers: apply,
        body: '{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"compact","labels":{"c":"d"}}}'
      })
      assert.strictEqual(applied.code, 422)
      assert.include(applied.json.message, '"Parameters":{"a":2,"z":1}}')
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("sends warnings in headers, whatever their characters", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const { code, headers } = yield* ask("POST", CONFIGMAPS, { body: { metadata: { name: "a" }, größe: 1 } })
      assert.strictEqual(code, 201)
      assert.strictEqual(Buffer.from(String(headers.warning), "latin1").toString(), '299 - "unknown field \\"größe\\""')
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("answers 304 for unchanged discovery", () =>
    Effect.gen(function* () {
      const { ask, server } = yield* startServer()
      const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
      const first = yield* ask("GET", "/apis", { headers: { accept } })
      assert.strictEqual(first.headers["content-type"], accept)
      const again = { accept, "if-none-match": String(first.headers.etag) }
      assert.strictEqual((yield* ask("GET", "/apis", { headers: again })).code, 304)
      server.registry.add(defineCustom(dial))
      assert.strictEqual((yield* ask("GET", "/apis", { headers: again })).code, 200)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("serves kinds that are added and removed", () =>
    Effect.gen(function* () {
      const { ask, server } = yield* startServer()
      const path = "/apis/rollcall.example.com/v1/namespaces/default/dials"
      assert.strictEqual((yield* ask("GET", path)).code, 404)
      const definition = defineCustom(dial)
      server.registry.add(definition)
      const body = { kind: "Dial", apiVersion: "rollcall.example.com/v1", metadata: { name: "d" }, spec: { at: 3 } }
      assert.strictEqual((yield* ask("POST", path, { body })).code, 201)
      assert.strictEqual((yield* ask("GET", `${path}/d`)).json.spec.at, 3)
      const strategic = { "content-type": "application/strategic-merge-patch+json" }
      assert.strictEqual((yield* ask("PATCH", `${path}/d`, { headers: strategic, body: {} })).code, 415)
      server.registry.removeKind(definition.key)
      assert.strictEqual((yield* ask("GET", `${path}/d`)).code, 404)
      server.registry.add(definition)
      assert.strictEqual((yield* ask("GET", `${path}/d`)).json.spec.at, 3)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("requires both permissions for an apply that creates", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["patch", "get"] }]
      const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default"
      yield* ask("POST", `${roles}/roles`, { body: { metadata: { name: "r" }, rules } })
      const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" }
      const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "alice" }]
      yield* ask("POST", `${roles}/rolebindings`, { body: { metadata: { name: "b" }, roleRef, subjects } })
      const headers = { "content-type": "application/apply-patch+yaml" }
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "v" } }
      const apply = ask("PATCH", `${CONFIGMAPS}/a?fieldManager=m`, { token: "alice", headers, body })
      const refused = yield* apply
      assert.strictEqual(refused.code, 403)
      assert.include(refused.json.message, 'User "alice" cannot create resource "configmaps"')
      yield* ask("POST", CONFIGMAPS, { body: configMap("a") })
      assert.strictEqual((yield* apply).code, 200)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("creates by apply whatever revision the configuration has, if it is one", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const headers = { "content-type": "application/apply-patch+yaml" }
      const apply = (name: string, resourceVersion: string) => {
        const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, resourceVersion } }
        return Effect.map(ask("PATCH", `${CONFIGMAPS}/${name}?fieldManager=m`, { headers, body }), ({ code }) => code)
      }
      assert.deepStrictEqual(yield* Effect.all([apply("a", "7"), apply("a", "7"), apply("b", "x")]), [201, 409, 500])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("allows impersonation only of permitted users", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
      const headers = { "impersonate-user": "bob", "impersonate-group": ["g1", "g2"], "impersonate-extra-a": "1" }
      const review = yield* ask("POST", path, { headers, body: {} })
      assert.deepStrictEqual(review.json.status.userInfo, {
        username: "bob",
        groups: ["g1", "g2", "system:authenticated"],
        extra: { a: ["1"] }
      })
      // A header carries bytes, which are UTF-8 to Go.
      const beyondAscii = { "impersonate-user": Buffer.from("José 日").toString("latin1") }
      const named = yield* ask("POST", path, { headers: beyondAscii, body: {} })
      assert.strictEqual(named.json.status.userInfo.username, "José 日")
      const refused = yield* ask("POST", path, { token: "alice", headers, body: {} })
      assert.strictEqual(
        refused.json.message,
        'selfsubjectreviews.authentication.k8s.io is forbidden: User "alice" cannot impersonate-on:user-info:create resource "selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope'
      )
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("ends requests by the clock of clients, where the cluster's time passes faster", () =>
    Effect.gen(function* () {
      const timers = yield* Timers
      const asked: Array<readonly [clock: string, delayMs: number]> = []
      const recorded = (clock: string): TimersShape => ({
        ...timers,
        after: (delayMs, callback) => {
          asked.push([clock, delayMs])
          return timers.after(delayMs, callback)
        }
      })
      const { ask } = yield* startServer({ timers: recorded("cluster"), wireTimers: recorded("client") })
      assert.strictEqual((yield* ask("GET", `${CONFIGMAPS}?timeout=1234s`)).code, 200)
      assert.deepStrictEqual(
        asked.filter(([, delayMs]) => delayMs === 1_234_000),
        [["client", 1_234_000]]
      )
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live(
    "asks of impersonation in a release without constrained modes only whether the user may be impersonated",
    () =>
      Effect.gen(function* () {
        const messages: Array<string> = []
        for (const name of ["1.35", "1.36"] as const) {
          const { ask } = yield* startServer({ gates: featureGatesOf(releases[name]) })
          const headers = { "impersonate-user": "bob" }
          messages.push((yield* ask("GET", CONFIGMAPS, { token: "alice", headers })).json.message)
        }
        assert.deepStrictEqual(messages, [
          'users "bob" is forbidden: User "alice" cannot impersonate resource "users" in API group "" at the cluster scope',
          'configmaps is forbidden: User "alice" cannot impersonate-on:user-info:list resource "configmaps" in API group "" in the namespace "default"'
        ])
      }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})

const dial = {
  kind: "Dial",
  group: "rollcall.example.com",
  version: "v1",
  plural: "dials",
  singular: "dial",
  shortNames: [],
  namespaced: true
}
