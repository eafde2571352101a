import { assert, describe, it } from "@effect/vitest"
import type { ValidatingAdmissionPolicy } from "@rollcall/api"
import { runWithApiServer } from "@rollcall/api-server/testing"
import { Cluster, fromConnection } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type CheckTypes, layerPolicyStatus } from "../src/index.ts"

const policyOf = (expression: string): ValidatingAdmissionPolicy => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name: "a" },
  spec: {
    matchConstraints: {
      resourceRules: [
        { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["deployments"], scope: "*" }
      ]
    },
    validations: [{ expression }]
  }
})

describe("the controller of policies' status", () => {
  it("checks each generation once, and forgets the warnings of former ones", () =>
    runWithApiServer(
      (admin) => {
        const cluster = fromConnection(admin)
        const checked: Array<string> = []
        const checkTypes: CheckTypes = ({ spec }) => {
          const { expression = "" } = spec?.validations?.[0] ?? {}
          checked.push(expression)
          return Effect.succeed(expression === "true" ? [] : [{ fieldRef: "spec", warning: expression }])
        }
        return Effect.gen(function* () {
          const statusAfter = (ms: number) =>
            Effect.andThen(
              Effect.sleep(ms),
              Effect.map(cluster.get("ValidatingAdmissionPolicy", { name: "a" }), ({ status }) => status)
            )
          yield* cluster.create("ValidatingAdmissionPolicy", policyOf("false"))
          assert.deepStrictEqual(yield* statusAfter(1000), {
            observedGeneration: 1,
            typeChecking: { expressionWarnings: [{ fieldRef: "spec", warning: "false" }] }
          })
          yield* cluster.patch("ValidatingAdmissionPolicy", { name: "a" }, "merge", {
            metadata: { labels: { a: "b" } }
          })
          yield* cluster.patch("ValidatingAdmissionPolicy", { name: "a" }, "merge", { spec: policyOf("true").spec })
          assert.deepStrictEqual(yield* statusAfter(1000), { observedGeneration: 2, typeChecking: {} })
          assert.deepStrictEqual(checked, ["false", "true"])
        }).pipe(Effect.provide(layerPolicyStatus(checkTypes).pipe(Layer.provide(Layer.succeed(Cluster, cluster)))))
      },
      { seed: "policies", server: { managedFields: true } }
    ))
})
