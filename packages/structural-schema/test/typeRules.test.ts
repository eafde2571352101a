import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import { ErrorList, fieldErrorText } from "@rollcall/api/validation"
import { checkScale } from "../src/typeRules.ts"

const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.replicas" }

const errorTexts = (object: object): ReadonlyArray<string> => {
  const errors = new ErrorList()
  checkScale(errors, object as KubeObject, scale, false)
  return errors.all.map(fieldErrorText)
}

describe("the paths of a scale", () => {
  it("may be absent, and lead through maps to small integers", () => {
    assert.deepStrictEqual(errorTexts({}), [])
    assert.deepStrictEqual(errorTexts({ spec: { size: 3 }, status: null }), [])
    assert.deepStrictEqual(errorTexts({ spec: { size: -1 } }), [
      ".spec.size: Invalid value: -1: should be a non-negative integer"
    ])
    assert.deepStrictEqual(errorTexts({ spec: "x", status: [1] }), [
      ".spec.size: Invalid value: 0: .spec.size accessor error: x is of the type string, expected map[string]interface{}",
      ".status.replicas: Invalid value: 0: .status.replicas accessor error: [1] is of the type []interface {}, expected map[string]interface{}"
    ])
  })
})
