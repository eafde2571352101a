import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { customResourcesOnDemand } from "../../src/custom/onDemand.ts"
import { type RunningServer, startServer, wallClock } from "../http/startServer.ts"
import { makeKeys } from "../http/wire.ts"

// biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes
type Json = any

/** Converts between a host with its port in one field, and in two. Notes get lost. */
const convert = (object: Json, apiVersion: string): Json => {
  const { hostPort, host, note: _, port, ...spec } = object.spec ?? {}
  const [before, after] = String(hostPort ?? "").split(":")
  const made = apiVersion.endsWith("/v2") ? { host: before, port: after } : { hostPort: `${host}:${port}` }
  return { ...object, apiVersion, spec: { ...spec, ...made } }
}

interface Webhook {
  readonly port: number
  readonly caBundle: string
  readonly received: Array<Json>
  /** What it answers in place of converted objects; undefined to convert, and null for no answer at all. */
  broken: object | string | null | undefined
  /** Cuts its connections. */
  cut: () => void
}

const startWebhook = Effect.fnUntraced(function* () {
  const pki = yield* makeKeys
  const webhook: { -readonly [Key in keyof Webhook]: Webhook[Key] } = {
    port: 0,
    caBundle: Buffer.from(pki.authorityPem).toString("base64"),
    received: [],
    broken: undefined,
    cut: () => {}
  }
  const server = yield* Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const made = createServer({ cert: pki.server.certificatePem, key: pki.server.keyPem }, (request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const review = JSON.parse(Buffer.concat(chunks).toString())
          webhook.received.push({ url: request.url, ...review })
          if (webhook.broken === null) return
          if (typeof webhook.broken === "string") {
            response.writeHead(500).end(webhook.broken)
            return
          }
          const { desiredAPIVersion, objects, uid } = review.request
          if (review.kind === "AdmissionReview") {
            const patch = Buffer.from(JSON.stringify([{ op: "replace", path: "/spec/hostPort", value: "patched:9" }]))
            const mutation = { patchType: "JSONPatch", patch: patch.toString("base64") }
            const isMutating = request.url?.startsWith("/mutate") === true
            const allowed = { uid, allowed: true, ...(isMutating ? mutation : {}) }
            response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: review.kind, response: allowed }))
            return
          }
          const answer = webhook.broken ?? {
            result: { status: "Success" },
            convertedObjects: objects.map((object: Json) => convert(object, desiredAPIVersion))
          }
          response.end(
            JSON.stringify({ apiVersion: review.apiVersion, kind: review.kind, response: { uid, ...answer } })
          )
        })
      })
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.sync(() => {
        made.closeAllConnections()
        made.close()
      })
  )
  webhook.cut = () => server.closeAllConnections()
  webhook.port = (server.address() as AddressInfo).port
  return webhook
})

const schemaOf = (...names: ReadonlyArray<string>) => ({
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            ...Object.fromEntries(names.map((name) => [name, { type: "string" }])),
            replicas: { type: "integer" }
          }
        },
        status: { type: "object", properties: { phase: { type: "string" }, replicas: { type: "integer" } } }
      }
    }
  },
  subresources: { status: {}, scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } }
})

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

const define = Effect.fnUntraced(function* ({ ask }: RunningServer, clientConfig: object) {
  const { body, code } = yield* ask("POST", definitions, {
    body: {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "crontabs.stable.example.com" },
      spec: {
        group: "stable.example.com",
        names: { kind: "CronTab", plural: "crontabs" },
        scope: "Namespaced",
        versions: [
          { name: "v1", served: true, storage: true, ...schemaOf("hostPort", "note") },
          { name: "v2", served: true, storage: false, ...schemaOf("host", "port", "note") }
        ],
        conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } }
      }
    }
  })
  assert.strictEqual(code, 201, body)
  for (let tries = 0; tries < 100; tries++) {
    const { json } = yield* ask("GET", `${definitions}/crontabs.stable.example.com`)
    const established = json.status?.conditions?.find(({ type }: Json) => type === "Established")
    if (established?.status === "True" || established?.reason === "InvalidCABundle") return established
    yield* Effect.sleep(10)
  }
  return yield* Effect.die("the definition is not established")
})

const path = (version: string, rest = "") => `/apis/stable.example.com/${version}/namespaces/default/crontabs${rest}`

const crontab = (version: string, name: string, spec: object) => ({
  apiVersion: `stable.example.com/${version}`,
  kind: "CronTab",
  metadata: { name },
  spec
})

const started = Effect.fnUntraced(function* () {
  const webhook = yield* startWebhook()
  const server = yield* startServer({ custom: customResourcesOnDemand })
  const url = `https://127.0.0.1:${webhook.port}/convert`
  yield* define(server, { url, caBundle: webhook.caBundle })
  return { webhook, ...server }
})

const merge = { headers: { "content-type": "application/merge-patch+json" } }
const apply = { headers: { "content-type": "application/apply-patch+yaml" } }

const failed = (version: string, why: string) =>
  `conversion webhook for stable.example.com/${version}, Kind=CronTab failed: ${why}`

// The answers are those of kube-apiserver v1.36.2 with the same webhook.

describe("conversion webhooks", () => {
  it.live("convert what is read and written in another version than the stored one", () =>
    Effect.gen(function* () {
      const { ask, webhook } = yield* started()
      yield* ask("POST", path("v1"), { body: crontab("v1", "a", { hostPort: "h:1" }) })
      assert.strictEqual(webhook.received.length, 0)
      const created = yield* ask("POST", path("v2"), { body: crontab("v2", "b", { host: "h", port: "2" }) })
      assert.deepStrictEqual(created.json.spec, { host: "h", port: "2" })
      const [{ request, url }] = webhook.received
      assert.strictEqual(url, "/convert?timeout=30s")
      assert.strictEqual(request.desiredAPIVersion, "stable.example.com/v1")
      assert.isUndefined(request.objects[0].metadata.resourceVersion)
      assert.deepStrictEqual((yield* ask("GET", path("v1", "/b"))).json.spec, { hostPort: "h:2" })
      assert.deepStrictEqual((yield* ask("GET", path("v2", "/a"))).json.spec, { host: "h", port: "1" })
      const { json } = yield* ask("GET", path("v2"))
      assert.deepStrictEqual(
        json.items.map((item: Json) => [item.apiVersion, item.spec]),
        [
          ["stable.example.com/v2", { host: "h", port: "1" }],
          ["stable.example.com/v2", { host: "h", port: "2" }]
        ]
      )
      const paged = yield* ask("GET", path("v2", "?limit=1"))
      assert.deepStrictEqual(paged.json.items[0].spec, { host: "h", port: "1" })
      yield* ask("PATCH", path("v2", "/a"), { ...merge, body: { spec: { port: "3" } } })
      yield* ask("PATCH", path("v2", "/a/status"), { ...merge, body: { status: { phase: "ok" } } })
      const scaled = yield* ask("PATCH", path("v2", "/a/scale"), { ...merge, body: { spec: { replicas: 5 } } })
      assert.deepStrictEqual(scaled.json.spec, { replicas: 5 })
      const read = yield* ask("GET", path("v1", "/a"))
      assert.deepStrictEqual(read.json.spec, { hostPort: "h:3", replicas: 5 })
      assert.deepStrictEqual(read.json.status, { phase: "ok" })
      const dry = yield* ask("POST", path("v2", "?dryRun=All"), { body: crontab("v2", "c", { host: "h", port: "2" }) })
      assert.deepStrictEqual([dry.code, dry.json.spec], [201, { host: "h", port: "2" }])
      assert.strictEqual((yield* ask("DELETE", path("v2", "/a"))).code, 200)
      assert.strictEqual((yield* ask("DELETE", path("v2"))).code, 200)
      assert.deepStrictEqual((yield* ask("GET", path("v1"))).json.items, [])
      const metrics = (yield* ask("GET", "/metrics")).body
      assert.match(metrics, /apiserver_conversion_webhook_request_total\{failure_type="",result="success"\} \d+/)
      assert.include(
        metrics,
        'crd_name="crontabs.stable.example.com",from_version="v2",succeeded="true",to_version="v1"'
      )
    }).pipe(Effect.provide(wallClock))
  )

  it.live("find the owners of fields in each other's versions", () =>
    Effect.gen(function* () {
      const { ask } = yield* started()
      const applyAs = (version: string, manager: string, spec: object, force = false) =>
        ask("PATCH", path(version, `/a?fieldManager=${manager}&force=${force}`), {
          ...apply,
          body: crontab(version, "a", spec)
        })
      yield* applyAs("v1", "one", { hostPort: "h:1" })
      const refused = yield* applyAs("v2", "two", { port: "9" })
      assert.strictEqual(refused.json.message, 'Apply failed with 1 conflict: conflict with "one": .spec.hostPort')
      const forced = yield* applyAs("v2", "two", { port: "9" }, true)
      assert.deepStrictEqual(forced.json.spec, { host: "h", port: "9" })
      assert.deepStrictEqual(
        forced.json.metadata.managedFields.map(({ apiVersion, fieldsV1, manager }: Json) => [
          apiVersion,
          manager,
          fieldsV1
        ]),
        [["stable.example.com/v2", "two", { "f:spec": { "f:port": {} } }]]
      )
    }).pipe(Effect.provide(wallClock))
  )

  it.live("prune what an applier omits as they convert it, and name what is unknown in the patched version", () =>
    Effect.gen(function* () {
      const { ask } = yield* started()
      const applyAs = (version: string, manager: string, spec: object) =>
        ask("PATCH", path(version, `/a?fieldManager=${manager}&force=true`), {
          ...apply,
          body: crontab(version, "a", spec)
        })
      yield* applyAs("v1", "one", { hostPort: "h:1", note: "mine" })
      yield* applyAs("v2", "two", { host: "d" })
      const { json } = yield* applyAs("v2", "one", { host: "d", note: "lost" })
      assert.deepStrictEqual(json.spec, { host: "d", port: "1" })
      assert.strictEqual(json.metadata.generation, 2)
      const owned = { "f:spec": { "f:host": {}, "f:note": {} } }
      assert.deepStrictEqual(json.metadata.managedFields[0].fieldsV1, owned)
      const refused = yield* ask("PATCH", path("v2", "/a"), {
        headers: { "content-type": "application/json-patch+json" },
        body: [{ op: "replace", path: "/apiVersion", value: "stable.example.com/v1" }]
      })
      assert.strictEqual(refused.code, 422)
      assert.strictEqual(
        refused.headers.warning,
        '299 - "unknown field \\"spec.host\\"", 299 - "unknown field \\"spec.port\\""'
      )
    }).pipe(Effect.provide(wallClock))
  )

  it.live("fail the requests that need them, and no others", () =>
    Effect.gen(function* () {
      const { ask, webhook } = yield* started()
      yield* ask("POST", path("v1"), { body: crontab("v1", "a", { hostPort: "h:1" }) })
      webhook.broken = { result: { status: "Failure", message: "cannot do it" } }
      const messageOf = (method: string, rest: string, asking = {}) =>
        Effect.map(ask(method, path("v2", rest), asking), ({ code, json }) => [code, json.message])
      assert.deepStrictEqual(yield* messageOf("GET", "/a"), [500, failed("v1", "cannot do it")])
      const unfilled = "storage is (re)initializing: failed to list stable.example.com/v2, Kind=CronTab: "
      assert.deepStrictEqual(yield* messageOf("GET", ""), [429, unfilled + failed("v1", "cannot do it")])
      assert.deepStrictEqual(yield* messageOf("GET", "?limit=3&labelSelector=a"), [
        429,
        unfilled + failed("v1", "cannot do it")
      ])
      assert.deepStrictEqual(yield* messageOf("GET", "?limit=3"), [500, failed("v1", "cannot do it")])
      assert.deepStrictEqual(yield* messageOf("DELETE", ""), [500, failed("v1", "cannot do it")])
      const elsewhere = (query: string) => path("v2", query).replace("/namespaces/default/", "/namespaces/kube-system/")
      assert.strictEqual((yield* ask("GET", elsewhere(""))).code, 429)
      assert.strictEqual((yield* ask("GET", elsewhere("?limit=3"))).code, 200)
      assert.deepStrictEqual(yield* messageOf("DELETE", "/a"), [500, failed("v1", "cannot do it")])
      assert.deepStrictEqual(yield* messageOf("GET", "/a/scale"), [500, failed("v1", "cannot do it")])
      const body = crontab("v2", "b", { host: "h", port: "2" })
      assert.deepStrictEqual(yield* messageOf("POST", "", { body }), [500, failed("v2", "cannot do it")])
      assert.strictEqual((yield* ask("GET", path("v1", "/b"))).code, 404)
      webhook.broken = "went wrong"
      const wrong = 'an error on the server ("went wrong") has prevented the request from succeeding'
      assert.deepStrictEqual(yield* messageOf("GET", "/a"), [500, failed("v1", wrong)])
      webhook.broken = null
      const hanging = yield* Effect.forkChild(ask("GET", path("v2", "/a")))
      yield* Effect.sleep(50)
      assert.deepStrictEqual((yield* ask("GET", path("v1", "/a"))).json.spec, { hostPort: "h:1" })
      assert.isUndefined(hanging.pollUnsafe())
      webhook.cut()
      const { json } = yield* Fiber.join(hanging)
      assert.include(json.message, failed("v1", 'Post "https://127.0.0.1:'))
    }).pipe(Effect.provide(wallClock))
  )

  it.live("convert the events of watches in order, and select by converted labels", () =>
    Effect.gen(function* () {
      const { ask, stream, webhook } = yield* started()
      yield* ask("POST", path("v1"), { body: crontab("v1", "a", { hostPort: "h:1" }) })
      const seen: Array<Json> = []
      let isOver = false
      stream(path("v2", "?watch=true&resourceVersion=0"), {
        line: (line) => seen.push(JSON.parse(line)),
        end: () => {
          isOver = true
        }
      })
      const until = (done: () => boolean) =>
        Effect.gen(function* () {
          for (let tries = 0; tries < 200 && !done(); tries++) yield* Effect.sleep(10)
          assert.isTrue(done())
        })
      yield* until(() => seen.length === 1)
      for (const port of ["2", "3"]) {
        yield* ask("PATCH", path("v1", "/a"), { ...merge, body: { spec: { hostPort: `h:${port}` } } })
      }
      yield* ask("DELETE", path("v1", "/a"))
      yield* until(() => seen.length === 4)
      assert.deepStrictEqual(
        seen.map(({ object, type }) => [type, object.apiVersion, object.spec.port]),
        [
          ["ADDED", "stable.example.com/v2", "1"],
          ["MODIFIED", "stable.example.com/v2", "2"],
          ["MODIFIED", "stable.example.com/v2", "3"],
          ["DELETED", "stable.example.com/v2", "3"]
        ]
      )
      webhook.broken = "went wrong"
      yield* ask("POST", path("v1"), { body: crontab("v1", "b", { hostPort: "h:1" }) })
      yield* until(() => isOver)
      assert.strictEqual(seen.length, 4)
    }).pipe(Effect.provide(wallClock))
  )

  it.live("are reached through a Service with real endpoints", () =>
    Effect.gen(function* () {
      const webhook = yield* startWebhook()
      const server = yield* startServer({ custom: customResourcesOnDemand })
      const { ask } = server
      const service = { name: "hook", namespace: "default", path: "/convert" }
      yield* define(server, { service, caBundle: webhook.caBundle })
      yield* ask("POST", path("v1"), { body: crontab("v1", "a", { hostPort: "h:1" }) })
      const missing = yield* ask("GET", path("v2", "/a"))
      const why = 'Post "https://hook.default.svc:443/convert?timeout=30s": service "hook" not found'
      assert.strictEqual(missing.json.message, failed("v1", why))
    }).pipe(Effect.provide(wallClock))
  )

  it.live("let admission webhooks and policies see objects in the version that they name", () =>
    Effect.gen(function* () {
      const { ask, webhook } = yield* started()
      const group = "/apis/admissionregistration.k8s.io/v1"
      const rules = {
        apiGroups: ["stable.example.com"],
        apiVersions: ["v1"],
        operations: ["CREATE"],
        resources: ["crontabs"]
      }
      for (const kind of ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"] as const) {
        const url = `https://127.0.0.1:${webhook.port}/${kind.startsWith("M") ? "mutate" : "validate"}`
        const hook = { name: "h.example.com", sideEffects: "None", admissionReviewVersions: ["v1"], rules: [rules] }
        const body = {
          apiVersion: "admissionregistration.k8s.io/v1",
          kind,
          metadata: { name: "hooks" },
          webhooks: [{ ...hook, clientConfig: { url, caBundle: webhook.caBundle } }]
        }
        const { body: text, code } = yield* ask("POST", `${group}/${kind.toLowerCase()}s`, { body })
        assert.strictEqual(code, 201, text)
      }
      const created = yield* ask("POST", path("v2"), { body: crontab("v2", "a", { host: "h", port: "1" }) })
      assert.deepStrictEqual(created.json.spec, { host: "patched", port: "9" })
      const reviews = webhook.received.filter(({ kind }) => kind === "AdmissionReview")
      assert.deepStrictEqual(
        reviews.map(({ request, url }: Json) => [url, request.object.apiVersion, request.object.spec.hostPort]),
        [
          ["/mutate?timeout=10s", "stable.example.com/v1", "h:1"],
          ["/validate?timeout=10s", "stable.example.com/v1", "patched:9"]
        ]
      )
      assert.strictEqual(reviews[0].request.requestKind.version, "v2")
      yield* ask("POST", `${group}/validatingadmissionpolicies`, {
        body: {
          apiVersion: "admissionregistration.k8s.io/v1",
          kind: "ValidatingAdmissionPolicy",
          metadata: { name: "p" },
          spec: {
            matchConstraints: { resourceRules: [rules] },
            validations: [{ expression: "object.spec.hostPort != 'patched:9'", message: "not this one" }]
          }
        }
      })
      yield* ask("POST", `${group}/validatingadmissionpolicybindings`, {
        body: {
          apiVersion: "admissionregistration.k8s.io/v1",
          kind: "ValidatingAdmissionPolicyBinding",
          metadata: { name: "p" },
          spec: { policyName: "p", validationActions: ["Deny"] }
        }
      })
      const denied = yield* ask("POST", path("v2"), { body: crontab("v2", "b", { host: "h", port: "1" }) })
      assert.include(denied.json.message, "not this one")
    }).pipe(Effect.provide(wallClock))
  )

  it.live("are not called with a caBundle without certificates", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ custom: customResourcesOnDemand })
      const caBundle = Buffer.from("none").toString("base64")
      const { message, reason, status } = yield* define(server, { url: "https://127.0.0.1:1/", caBundle })
      assert.deepStrictEqual(
        [status, reason, message],
        ["False", "InvalidCABundle", "The conversion webhook CABundle is invalid"]
      )
    }).pipe(Effect.provide(wallClock))
  )
})
