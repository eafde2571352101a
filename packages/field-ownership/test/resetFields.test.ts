import { assert, describe, it } from "vitest"
import { resetFields } from "../src/resetFields.ts"

describe("reset fields", () => {
  const namespaces = { resource: { kind: "Namespace" }, subresources: new Set(["status", "finalize"]) }

  it("of a namespace are its status, but where that is written", () => {
    assert.deepStrictEqual(resetFields(namespaces, undefined), { "f:status": {} })
    assert.deepStrictEqual(resetFields(namespaces, "finalize"), { "f:status": {} })
    assert.deepStrictEqual(resetFields(namespaces, "status"), { "f:spec": {} })
  })

  it("of the status of a custom resource definition are its spec: the metadata may change there", () => {
    const definitions = { resource: { kind: "CustomResourceDefinition" }, subresources: new Set(["status"]) }
    assert.deepStrictEqual(resetFields(definitions, "status"), { "f:spec": {} })
  })
})
