import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type { AuditRecord } from "../../src/core/index.ts"
import { type RunningServer, startServer } from "../http/startServer.ts"
import { patchOf, startWebhooks } from "./startWebhooks.ts"

const GROUP = "/apis/admissionregistration.k8s.io/v1"
const DEFAULT = "/api/v1/namespaces/default"
/** The first test of the file waits for the imports of the server. */
const SLOW = 30_000
const EXEC = `${DEFAULT}/pods/p/exec`

const configure = Effect.fnUntraced(function* (
  { ask }: RunningServer,
  kind: "Mutating" | "Validating",
  clientConfig: object,
  operations: ReadonlyArray<string>,
  resources: ReadonlyArray<string>
) {
  const rules = [{ apiGroups: ["*"], apiVersions: ["*"], operations, resources }]
  const webhook = { name: "h.example.com", sideEffects: "None", admissionReviewVersions: ["v1"], rules, clientConfig }
  const body = { metadata: { name: "hooks" }, webhooks: [webhook] }
  const made = yield* ask("POST", `${GROUP}/${kind.toLowerCase()}webhookconfigurations`, { body })
  assert.strictEqual(made.code, 201, made.body)
})

const run = <A, E, R>(test: Effect.Effect<A, E, R>) => test.pipe(Effect.scoped, Effect.provide(layerWallClock()))

const paths: ReadonlyArray<readonly [path: string, kind: string, options: object]> = [
  [`${EXEC}?command=ls&container=a&stdin=true`, "PodExecOptions", { stdin: true, container: "a", command: ["ls"] }],
  [EXEC, "PodExecOptions", { command: null }],
  [`${DEFAULT}/pods/p/attach?tty=1`, "PodAttachOptions", { tty: true }],
  [`${DEFAULT}/pods/p/portforward?ports=80,81`, "PodPortForwardOptions", { ports: [80, 81] }],
  [`${DEFAULT}/pods/p/proxy/a/b?x=y`, "PodProxyOptions", { path: "/a/b" }],
  [`${DEFAULT}/services/s/proxy`, "ServiceProxyOptions", {}],
  ["/api/v1/nodes/n/proxy/healthz", "NodeProxyOptions", { path: "/healthz" }]
]

// The reviews and answers are those of kube-apiserver v1.36.2.

describe("webhooks for connections", () => {
  it.live(
    "see the options as Go writes them",
    () =>
      run(
        Effect.gen(function* () {
          const hooks = yield* startWebhooks({ "/v": () => ({ allowed: true }) })
          const server = yield* startServer()
          yield* configure(server, "Validating", hooks.clientConfig("/v"), ["CONNECT"], ["*/*"])
          for (const [path, kind, options] of paths) {
            yield* server.ask("GET", path)
            const { request } = hooks.received.at(-1)?.review ?? {}
            const gvk = { group: "", version: "v1", kind }
            assert.deepInclude(request, { operation: "CONNECT", kind: gvk, requestKind: gvk, options: null })
            assert.deepStrictEqual(request.object, { kind, apiVersion: "v1", ...options })
            assert.isNull(request.oldObject)
          }
        })
      ),
    SLOW
  )

  it.live("patch the options by their type", () =>
    run(
      Effect.gen(function* () {
        let operation: object = {}
        const hooks = yield* startWebhooks({ "/m": () => patchOf(operation), "/v": () => ({ allowed: true }) })
        const server = yield* startServer()
        yield* configure(server, "Mutating", hooks.clientConfig("/m"), ["CONNECT"], ["*/*"])
        yield* configure(server, "Validating", hooks.clientConfig("/v"), ["CONNECT"], ["*/*"])
        const ask = Effect.fnUntraced(function* (given: object) {
          operation = given
          const { json } = yield* server.ask("GET", `${EXEC}?command=ls`)
          const last = hooks.received.at(-1)
          return last?.path === "/v" ? last.review.request.object : json.message
        })
        const options = { kind: "PodExecOptions", apiVersion: "v1", command: ["ls"] }
        assert.deepStrictEqual(yield* ask({ op: "add", path: "/container", value: "c" }), {
          ...options,
          container: "c"
        })
        assert.deepStrictEqual(yield* ask({ op: "add", path: "/unknown", value: 1 }), options)
        assert.deepStrictEqual(yield* ask({ op: "remove", path: "/command" }), { ...options, command: null })
        assert.strictEqual(
          yield* ask({ op: "add", path: "/stdin", value: "x" }),
          "Internal error occurred: json: cannot unmarshal string into Go struct field PodExecOptions.stdin of type bool"
        )
        assert.strictEqual(
          yield* ask({ op: "replace", path: "/kind", value: "Pod" }),
          "converting (v1.Pod) to (core.PodExecOptions): unknown conversion"
        )
      })
    )
  )

  it.live("tell the audit of what they note, change and deny", () =>
    run(
      Effect.gen(function* () {
        const operation = { op: "add", path: "/container", value: "c" }
        const hooks = yield* startWebhooks({
          "/m": () => ({ ...patchOf(operation), auditAnnotations: { seen: "yes", "no/key": "dropped" } }),
          "/v": () => ({ allowed: false, auditAnnotations: { why: "late" }, warnings: ["careful"] })
        })
        const server = yield* startServer()
        yield* configure(server, "Mutating", hooks.clientConfig("/m"), ["CONNECT"], ["pods/exec"])
        yield* configure(server, "Validating", hooks.clientConfig("/v"), ["CONNECT"], ["pods/exec"])
        const records: Array<AuditRecord> = []
        server.server.setAudit((record) => void records.push(record))
        const { headers } = yield* server.ask("GET", `${EXEC}?command=ls`)
        assert.strictEqual(headers.warning, '299 - "careful"')
        const [record] = records
        assert.deepInclude(record, { code: 400, object: undefined })
        assert.deepInclude(record?.request, { verb: "get", kind: "Pod", name: "p" })
        assert.deepStrictEqual(record?.connection, {
          subresource: "exec",
          options: { kind: "PodExecOptions", apiVersion: "v1", command: ["ls"] }
        })
        const hook = { configuration: "hooks", webhook: "h.example.com" }
        assert.deepStrictEqual(record?.annotations, {
          "h.example.com/seen": "yes",
          "patch.webhook.admission.k8s.io/round_0_index_0": JSON.stringify({
            ...hook,
            patch: [operation],
            patchType: "JSONPatch"
          }),
          "mutation.webhook.admission.k8s.io/round_0_index_0": JSON.stringify({ ...hook, mutated: true }),
          "h.example.com/why": "late"
        })
      })
    )
  )
})

describe("webhooks that patch the kind", () => {
  it.live("cannot make another object of it", () =>
    run(
      Effect.gen(function* () {
        let value: unknown = "Pod"
        const hooks = yield* startWebhooks({ "/m": () => patchOf({ op: "add", path: "/kind", value }) })
        const server = yield* startServer()
        yield* configure(server, "Mutating", hooks.clientConfig("/m"), ["CREATE"], ["configmaps"])
        const create = Effect.map(
          server.ask("POST", `${DEFAULT}/configmaps?dryRun=All`, { body: { metadata: { name: "c" } } }),
          ({ json }) => (json.kind === "Status" ? json.message : json.kind)
        )
        assert.strictEqual(yield* create, "converting (v1.Pod) to (core.ConfigMap): unknown conversion")
        value = "Foo"
        const scheme = 'in scheme "pkg/api/legacyscheme/scheme.go:30"'
        assert.strictEqual(
          yield* create,
          `Internal error occurred: no kind "Foo" is registered for version "v1" ${scheme}`
        )
        value = ""
        assert.strictEqual(yield* create, "ConfigMap")
      })
    )
  )
})
