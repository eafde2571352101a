import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { conversionError, interpretKind, registeredType, unknownConversion } from "../src/scheme.ts"

const pod = { group: "", version: "v1", kind: "Pod" }
const kindOf = (body: unknown) => {
  const read = interpretKind(body, pod)
  return Result.isSuccess(read) ? read.success : read.failure
}

describe("the kind of a body", () => {
  it("has from its path what the body omits", () => {
    assert.deepStrictEqual(kindOf({}), pod)
    assert.deepStrictEqual(kindOf({ kind: "Node" }), { ...pod, kind: "Node" })
    assert.deepStrictEqual(kindOf({ apiVersion: "apps/v1", kind: "Deployment" }), {
      group: "apps",
      version: "v1",
      kind: "Deployment"
    })
  })

  it("is refused in Go's words", () => {
    assert.include(kindOf([]), "couldn't get version/kind; json parse error: json: cannot unmarshal array into")
    assert.strictEqual(kindOf({ apiVersion: "a/b/c" }), "unexpected GroupVersion string: a/b/c")
  })

  it("becomes no other one", () => {
    const deployment = { group: "apps", version: "v1", kind: "Deployment" }
    assert.isUndefined(conversionError(pod, pod))
    assert.strictEqual(conversionError(deployment, pod), "converting (v1.Deployment) to (core.Pod): unknown conversion")
    const options = { group: "meta.k8s.io", version: "v1", kind: "DeleteOptions" }
    assert.strictEqual(
      unknownConversion("v1", { ...pod, kind: "Status" }, options),
      "converting (v1.Status) to (v1.DeleteOptions): unknown conversion"
    )
    assert.isUndefined(registeredType({ group: "example.com", version: "v1", kind: "Dial" }))
  })
})
