import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type { AuditRecord } from "../../src/core/index.ts"
import { startServer } from "../http/startServer.ts"

const API = "/apis/admissionregistration.k8s.io/v1"
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"

const policy = {
  metadata: { name: "sizes" },
  spec: {
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    matchConstraints: {
      resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }]
    },
    validations: [
      { expression: "true" },
      { expression: "size(object.data) <= int(params.data.most)", message: "too many keys" }
    ],
    auditAnnotations: [
      { key: "most", valueExpression: "'at most ' + params.data.most" },
      { key: "name", valueExpression: "string(object.metadata.name)" },
      { key: "none", valueExpression: "null" }
    ]
  }
}

const bindingOf = (name: string, validationActions: ReadonlyArray<string>) => ({
  metadata: { name },
  spec: {
    policyName: "sizes",
    paramRef: { name, namespace: "default", parameterNotFoundAction: "Allow" },
    validationActions
  }
})

const configMap = (name: string, data: Readonly<Record<string, string>>) => ({ metadata: { name }, data })

describe("a policy of the action Audit", () => {
  it.live("notes its first failure, and the distinct values of its annotations", () =>
    Effect.gen(function* () {
      const { ask, server } = yield* startServer()
      yield* ask("POST", CONFIG_MAPS, { body: configMap("one", { most: "1" }) })
      yield* ask("POST", CONFIG_MAPS, { body: configMap("two", { most: "2" }) })
      yield* ask("POST", `${API}/validatingadmissionpolicies`, { body: policy })
      yield* ask("POST", `${API}/validatingadmissionpolicybindings`, { body: bindingOf("one", ["Audit", "Warn"]) })
      yield* ask("POST", `${API}/validatingadmissionpolicybindings`, { body: bindingOf("two", ["Audit"]) })
      let noted: AuditRecord["annotations"]
      server.setAudit(({ annotations, request }) => {
        if (request.kind === "ConfigMap") noted = annotations
      })
      const made = yield* ask("POST", CONFIG_MAPS, { body: configMap("big", { a: "", b: "", c: "" }) })
      assert.strictEqual(made.code, 201)
      const failure = {
        message: "too many keys",
        policy: "sizes",
        binding: "one",
        expressionIndex: 1,
        validationActions: ["Audit", "Warn"]
      }
      assert.deepStrictEqual(noted, {
        "validation.policy.admission.k8s.io/validation_failure": JSON.stringify([failure]),
        "sizes/most": "at most 1, at most 2",
        "sizes/name": "big"
      })
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )
})
