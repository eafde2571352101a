import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import type { CustomResourceDefinition, ExpressionWarning, ValidatingAdmissionPolicy } from "@rollcall/api"
import { runAllSteps } from "@rollcall/time"
import { typeWarningsInSteps } from "../src/typecheck/typeWarnings.ts"

interface Recorded {
  readonly definition: CustomResourceDefinition
  readonly cases: ReadonlyArray<{
    readonly spec: NonNullable<ValidatingAdmissionPolicy["spec"]>
    readonly warnings: ReadonlyArray<ExpressionWarning>
  }>
}

/** As the controller of v1.36.2 writes them; the number that it appends to the name of a kind is left out. */
const recorded = JSON.parse(readFileSync(new URL("./fixtures/typeWarnings.json", import.meta.url), "utf8")) as Recorded

const policyWith = (spec: NonNullable<ValidatingAdmissionPolicy["spec"]>): ValidatingAdmissionPolicy => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name: "a" },
  spec
})

describe("the type check of a policy", () => {
  for (const { spec, warnings } of recorded.cases) {
    const kinds = spec.matchConstraints?.resourceRules?.flatMap(({ resources = [] }) => resources).join(", ")
    const expressions = spec.validations?.map(({ expression }) => expression).join("; ")
    it(`warns as recorded of ${expressions} for ${kinds}`, () => {
      assert.deepStrictEqual(runAllSteps(typeWarningsInSteps(policyWith(spec), [recorded.definition])), warnings)
    })
  }

  it("pauses after each expression, for each kind", () => {
    const rule = {
      apiGroups: ["apps"],
      apiVersions: ["v1"],
      operations: ["CREATE"],
      resources: ["deployments", "replicasets"]
    }
    const spec = {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: "object.a" }, { expression: "object.b" }]
    } as NonNullable<ValidatingAdmissionPolicy["spec"]>
    assert.strictEqual([...typeWarningsInSteps(policyWith(spec), [])].length, 4)
  })
})
