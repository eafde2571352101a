import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startServer, wallClock } from "./startServer.ts"
import { CLUSTER_ROLE_BINDINGS } from "./wire.ts"

const RBAC = "/apis/rbac.authorization.k8s.io/v1"
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
const AUTOSCALERS = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"

const apply = { "content-type": "application/apply-patch+yaml" }
const ofLease = (name: string, spec: object) => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name },
  spec
})
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"

describe("a write that would create, of a caller who may not", () => {
  it.live("is refused once the object is valid, before the validating plugins", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["update", "patch"] }]
      const subject = { kind: "User", name: "alice", apiGroup: "rbac.authorization.k8s.io" }
      const roleRef = { kind: "ClusterRole", name: "writer", apiGroup: "rbac.authorization.k8s.io" }
      yield* ask("POST", `${RBAC}/clusterroles`, { body: { metadata: { name: "writer" }, rules } })
      yield* ask("POST", CLUSTER_ROLE_BINDINGS, { body: { metadata: { name: "w" }, roleRef, subjects: [subject] } })
      const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic"
      const resourceRules = [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["leases"] }]
      const spec = { matchConstraints: { resourceRules }, validations: [{ expression: "false" }] }
      yield* ask("POST", `${policies}ies`, { body: { metadata: { name: "none" }, spec } })
      const bound = { policyName: "none", validationActions: ["Deny"] }
      yield* ask("POST", `${policies}ybindings`, { body: { metadata: { name: "none" }, spec: bound } })

      const refusal = (method: string, path: string, body: object, headers = {}) =>
        Effect.map(
          ask(method, path, { token: "alice", body, headers }),
          ({ code, json }) => `${code} ${String(json.message).split(/[:.] |$/)[0]}`
        )
      const cannot = (what: string) => `403 ${what} is forbidden`
      const lease = `${LEASES}/l`
      assert.strictEqual(yield* refusal("PUT", lease, ofLease("l", {})), cannot('leases.coordination.k8s.io "l"'))
      assert.strictEqual(
        yield* refusal("PUT", lease, ofLease("l", { leaseDurationSeconds: -1 })),
        '422 Lease.coordination.k8s.io "l" is invalid'
      )
      assert.strictEqual(
        yield* refusal("PATCH", `${lease}?fieldManager=m`, ofLease("l", {}), apply),
        cannot('leases.coordination.k8s.io "l"')
      )
      assert.strictEqual(
        yield* refusal("PATCH", `${lease}?fieldManager=m`, ofLease("l", { leaseDurationSeconds: -1 }), apply),
        '422 Lease.coordination.k8s.io "l" is invalid'
      )
      const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } }
      const answer = yield* ask("PATCH", `${CONFIG_MAPS}/c?fieldManager=m`, {
        token: "alice",
        body: configMap,
        headers: apply
      })
      assert.strictEqual(
        answer.json.message,
        'configmaps "c" is forbidden: User "alice" cannot create resource "configmaps" in API group "" in the namespace "default"'
      )
      yield* ask("POST", CONFIG_MAPS, { body: configMap })
      const changed = { ...configMap, data: { a: "b" } }
      assert.strictEqual((yield* ask("PUT", `${CONFIG_MAPS}/c`, { token: "alice", body: changed })).code, 200)
      // A write of an existing object creates nothing, and of a kind that no update creates is not asked about.
      assert.match(yield* refusal("PUT", `${AUTOSCALERS}/a`, { metadata: { name: "a" } }), /^404 /)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
