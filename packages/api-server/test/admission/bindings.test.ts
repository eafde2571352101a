import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { startServer } from "../http/startServer.ts"

const API = "/apis/admissionregistration.k8s.io/v1"
const CORE = "/api/v1/namespaces/default"

const policyOf = (resource: string) => ({
  metadata: { name: resource.replace("/", "-") },
  spec: {
    matchConstraints: {
      matchPolicy: "Equivalent",
      resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: [resource] }]
    },
    validations: [
      {
        expression: "object.target.name != 'closed'",
        messageExpression:
          "[request.kind.kind, request.resource.resource, request.requestResource.resource, request.name, request.?subResource.orValue('-')].join(' ')"
      }
    ]
  }
})

const bindingTo = (name: string, metadata: object = {}) => ({
  metadata: { name: "p", ...metadata },
  target: { kind: "Node", name }
})

const startWithPolicy = Effect.fnUntraced(function* (resource: string) {
  const server = yield* startServer()
  const policy = policyOf(resource)
  const { name } = policy.metadata
  const spec = { policyName: name, validationActions: ["Deny"] }
  yield* server.ask("POST", `${API}/validatingadmissionpolicies`, { body: policy })
  yield* server.ask("POST", `${API}/validatingadmissionpolicybindings`, { body: { metadata: { name }, spec } })
  const labels = { "topology.kubernetes.io/zone": "a" }
  yield* server.ask("POST", "/api/v1/nodes", { body: { metadata: { name: "open", labels } } })
  yield* server.ask("POST", `${CORE}/serviceaccounts`, { body: { metadata: { name: "default" } } })
  const containers = [{ name: "c", image: "i" }]
  yield* server.ask("POST", `${CORE}/pods`, { body: { metadata: { name: "p" }, spec: { containers } } })
  return server
})

const whyOf = (message: string) => message.replace(/^.* denied request: /, "")

describe("a POST to bindings", () => {
  it.live("is admitted as a resource of its own", () =>
    Effect.gen(function* () {
      const { ask } = yield* startWithPolicy("bindings")
      const refused = yield* ask("POST", `${CORE}/bindings`, { body: bindingTo("closed") })
      assert.strictEqual(whyOf(refused.json.message), "Binding bindings bindings p -")
      const bound = yield* ask("POST", `${CORE}/bindings`, { body: bindingTo("open", { uid: "of-no-pod" }) })
      assert.strictEqual(bound.code, 201)
      // The plugin that labels pods for their nodes knows pods/binding only.
      const pod = yield* ask("GET", `${CORE}/pods/p`)
      assert.strictEqual(pod.json.spec.nodeName, "open")
      assert.notProperty(pod.json.metadata, "labels")
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )

  it.live("is not what policies of pods/binding match", () =>
    Effect.gen(function* () {
      const { ask } = yield* startWithPolicy("pods/binding")
      const refused = yield* ask("POST", `${CORE}/pods/p/binding`, { body: bindingTo("closed") })
      assert.strictEqual(whyOf(refused.json.message), "Binding pods pods p binding")
      assert.strictEqual((yield* ask("POST", `${CORE}/bindings`, { body: bindingTo("closed") })).code, 201)
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )

  it.live("is refused in a namespace that is missing or goes, as evictions are", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const missing = yield* ask("POST", "/api/v1/namespaces/none/bindings", { body: bindingTo("n") })
      assert.strictEqual(missing.json.message, 'namespaces "none" not found')
      yield* ask("POST", "/api/v1/namespaces", { body: { metadata: { name: "going" } } })
      yield* ask("DELETE", "/api/v1/namespaces/going")
      const going = "/api/v1/namespaces/going"
      const why = "is forbidden: unable to create new content in namespace going because it is being terminated"
      const bound = yield* ask("POST", `${going}/bindings`, { body: bindingTo("n") })
      assert.strictEqual(bound.json.message, `bindings "p" ${why}`)
      for (const path of ["binding", "eviction"]) {
        const answer = yield* ask("POST", `${going}/pods/p/${path}`, { body: bindingTo("n") })
        assert.strictEqual(answer.json.message, `pods "p" ${why}`)
      }
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )
})
