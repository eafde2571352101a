import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { type RunningServer, startServer } from "../http/startServer.ts"
import { patchOf, type Received, startWebhooks } from "./startWebhooks.ts"

const group = "/apis/admissionregistration.k8s.io/v1"

const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "DELETE"], resources: ["configmaps"] }

const configure = (
  server: RunningServer,
  kind: "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration",
  ...webhooks: ReadonlyArray<object>
) =>
  Effect.map(
    server.ask("POST", `${group}/${kind.toLowerCase()}s`, {
      body: {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind,
        metadata: { name: "hooks" },
        webhooks: webhooks.map((webhook, index) => ({
          name: `h${index}.example.com`,
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
          rules: [rule],
          ...webhook
        }))
      }
    }),
    ({ code, body }) => assert.strictEqual(code, 201, body)
  )

const path = "/api/v1/namespaces/default/configmaps"

const create = ({ ask }: RunningServer, name: string, query = "") =>
  ask("POST", `${path}${query}`, { body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name } } })

// The messages are those of kube-apiserver v1.36.2.

describe("webhooks", () => {
  it.live("change an object, one after the other, and run again if a later one changes it", () =>
    Effect.gen(function* () {
      const count = (request: Received["review"]) =>
        patchOf({
          op: "add",
          path: "/metadata/annotations",
          value: { count: String(Number(request.object.metadata.annotations?.count ?? 0) + 1) }
        })
      const hooks = yield* startWebhooks({
        "/count": count,
        "/data": () => patchOf({ op: "add", path: "/data", value: { added: "yes" } })
      })
      const server = yield* startServer()
      yield* configure(
        server,
        "MutatingWebhookConfiguration",
        { clientConfig: hooks.clientConfig("/count"), reinvocationPolicy: "IfNeeded" },
        { clientConfig: hooks.clientConfig("/data") }
      )
      const { json } = yield* create(server, "a")
      assert.deepStrictEqual(json.data, { added: "yes" })
      assert.deepStrictEqual(json.metadata.annotations, { count: "2" })
      assert.deepStrictEqual(
        hooks.received.map((each) => each.path),
        ["/count", "/data", "/count"]
      )
      const { request } = hooks.received[0]?.review ?? {}
      assert.deepInclude(request, {
        operation: "CREATE",
        name: "a",
        namespace: "default",
        dryRun: false,
        oldObject: null
      })
      assert.strictEqual(request.object.metadata.namespace, "default")
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )

  it.live("see the grace period that one pod gets, and that which was asked for of a collection", () =>
    Effect.gen(function* () {
      const hooks = yield* startWebhooks({ "/no": () => ({ allowed: false }) })
      const server = yield* startServer()
      const rules = [{ ...rule, operations: ["DELETE"], resources: ["pods"] }]
      const hook = { clientConfig: hooks.clientConfig("/no"), rules }
      yield* configure(server, "ValidatingWebhookConfiguration", hook)
      const pods = "/api/v1/namespaces/default/pods"
      const metadata = { name: "p" }
      yield* server.ask("POST", "/api/v1/namespaces/default/serviceaccounts", {
        body: { metadata: { name: "default" } }
      })
      yield* server.ask("POST", pods, { body: { metadata, spec: { containers: [{ name: "c", image: "i" }] } } })
      yield* server.ask("DELETE", `${pods}/p`)
      yield* server.ask("DELETE", pods)
      const kind = { apiVersion: "meta.k8s.io/v1", kind: "DeleteOptions" }
      assert.deepStrictEqual(
        hooks.received.map(({ review }) => review.request.options),
        [{ ...kind, gracePeriodSeconds: 0 }, kind]
      )
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )

  it.live("refuse, warn, and fail closed or open", () =>
    Effect.gen(function* () {
      const hooks = yield* startWebhooks({
        "/deny": () => ({ allowed: false, status: { message: "no way", code: 402, reason: "Custom" } }),
        "/warn": () => ({ allowed: true, warnings: ["careful"] })
      })
      const server = yield* startServer()
      const use = (...webhooks: ReadonlyArray<object>) =>
        Effect.andThen(
          server.ask("DELETE", `${group}/validatingwebhookconfigurations/hooks`),
          configure(server, "ValidatingWebhookConfiguration", ...webhooks)
        )
      yield* use({ clientConfig: hooks.clientConfig("/moved/moved/deny") })
      const denied = yield* create(server, "a")
      assert.strictEqual(denied.code, 402)
      const message = 'admission webhook "h0.example.com" denied the request: no way'
      assert.deepInclude(denied.json, { message, reason: "Custom", status: "Failure" })

      yield* use(
        { clientConfig: hooks.clientConfig("/broken"), failurePolicy: "Ignore" },
        { clientConfig: hooks.clientConfig("/warn") }
      )
      const warned = yield* create(server, "a")
      assert.strictEqual(warned.code, 201)
      assert.strictEqual(warned.headers.warning, '299 - "careful"')

      yield* use({ clientConfig: hooks.clientConfig("/broken") })
      const failed = yield* server.ask("DELETE", `${path}/a`)
      assert.strictEqual(failed.code, 500)
      const why = 'an error on the server ("went wrong") has prevented the request from succeeding'
      const calling = `failed calling webhook "h0.example.com": failed to call webhook: ${why}`
      assert.strictEqual(failed.json.message, `Internal error occurred: ${calling}`)
      assert.strictEqual((yield* server.ask("GET", `${path}/a`)).code, 200)

      const { body } = yield* server.ask("GET", "/metrics")
      const call = 'name="h0.example.com",operation="CREATE"'
      const total = "apiserver_admission_webhook_request_total"
      assert.include(body, `${total}{code="402",${call},rejected="true",type="validating"} 1`)
      assert.include(body, 'apiserver_admission_webhook_fail_open_count{name="h0.example.com",type="validating"} 1')
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )

  it.live("change the options of a connection, and see no more than them", () =>
    Effect.gen(function* () {
      const hooks = yield* startWebhooks({
        "/patch": () => patchOf({ op: "add", path: "/container", value: "zz" })
      })
      const server = yield* startServer()
      const rules = [{ ...rule, operations: ["CONNECT"], resources: ["pods/exec"] }]
      yield* configure(server, "MutatingWebhookConfiguration", { clientConfig: hooks.clientConfig("/patch"), rules })
      const pods = "/api/v1/namespaces/default/pods"
      yield* server.ask("POST", "/api/v1/namespaces/default/serviceaccounts", {
        body: { metadata: { name: "default" } }
      })
      const spec = { containers: [{ name: "a", image: "a" }] }
      yield* server.ask("POST", pods, { body: { metadata: { name: "p1" }, spec } })
      const { code, json } = yield* server.ask("GET", `${pods}/p1/exec?command=ls&stdin=true`)
      assert.deepStrictEqual([code, json.message], [400, "container zz is not valid for pod p1"])
      const { kind, name, object, oldObject, operation, options, subResource } = hooks.received[0]?.review.request ?? {}
      assert.deepStrictEqual([operation, name, subResource, oldObject, options], ["CONNECT", "p1", "exec", null, null])
      assert.deepStrictEqual(kind, { group: "", version: "v1", kind: "PodExecOptions" })
      assert.deepStrictEqual(object, { kind: "PodExecOptions", apiVersion: "v1", stdin: true, command: ["ls"] })
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )

  it.live("need the service that they name", () =>
    Effect.gen(function* () {
      const hooks = yield* startWebhooks({ "/x": () => ({ allowed: false }) })
      const server = yield* startServer()
      const service = { name: "hook", namespace: "default", path: "/x" }
      yield* configure(server, "ValidatingWebhookConfiguration", {
        clientConfig: { service, caBundle: hooks.clientConfig("/x").caBundle }
      })
      const missing = yield* create(server, "a")
      assert.include(
        missing.json.message,
        'Post "https://hook.default.svc:443/x?timeout=10s": service "hook" not found'
      )
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )

  it.live("fail if their bundle has no certificate", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const caBundle = Buffer.from("nonsense").toString("base64")
      yield* configure(server, "ValidatingWebhookConfiguration", {
        clientConfig: { url: "https://127.0.0.1:1/", caBundle }
      })
      const { code, json } = yield* create(server, "a")
      assert.strictEqual(code, 500)
      assert.include(
        json.message,
        'failed calling webhook "h0.example.com": could not get REST client: unable to load root certificates: unable to parse bytes as PEM block'
      )
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )
})
