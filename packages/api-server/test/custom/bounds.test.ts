import { assert, describe, it } from "@effect/vitest"
import type { CustomResourceDefinition, Status } from "@rollcall/api"
import type { JsonSchema } from "@rollcall/structural-schema"
import { customResources } from "../../src/custom/index.ts"
import { makeTestServer } from "../core/testServer.ts"
import { dial, dialKind, dials } from "./definitions.ts"

const definitionWithSchema = (openAPIV3Schema: object): CustomResourceDefinition =>
  dials({ versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }] })

const specSchema = (spec: JsonSchema) => ({ type: "object", properties: { spec } })

describe("defaults of custom resources", () => {
  const big = "x".repeat(10_000)
  const list = (length: number) => ({ list: Array.from({ length }, () => ({})) })

  it("are refused with 422 when an object needs too many", () => {
    const testServer = makeTestServer({ customResources })
    const spec: JsonSchema = {
      type: "object",
      properties: {
        list: { type: "array", items: { type: "object", properties: { a: { type: "string", default: big } } } }
      }
    }
    testServer.create("CustomResourceDefinition", definitionWithSchema(specSchema(spec)))
    testServer.settle()
    const refused = (object: object): Status =>
      testServer.refusalOf({ verb: "create", kind: dialKind, namespace: "default", object } as never)
    assert.strictEqual(
      refused(dial("a", list(1000))).message,
      'Dial.rollcall.example.com "a" is invalid: <nil>: Too long: may not be more than 3145728 bytes'
    )
    testServer.ask({ verb: "create", kind: dialKind, namespace: "default", object: dial("b", list(3)) } as never)
  })

  it("like types and rules must be in the structural schema, not in its anyOf, oneOf and not", () => {
    const alternatives = {
      anyOf: [{ type: "string", default: "a" }],
      not: { "x-kubernetes-validations": [{ rule: "true" }] }
    }
    const testServer = makeTestServer({ customResources })
    const object = definitionWithSchema(specSchema({ type: "string", ...alternatives } as JsonSchema))
    const at = "spec.validation.openAPIV3Schema.properties[spec]"
    const { message } = testServer.refusalOf({
      verb: "create",
      kind: "CustomResourceDefinition",
      object
    } as never) as Status
    assert.include(message, `${at}.anyOf[0].type: Forbidden: must be empty to be structural`)
    assert.include(message, `${at}.anyOf[0].default: Forbidden: must be undefined to be structural`)
    assert.include(message, `${at}.not.x-kubernetes-validations: Forbidden: must be empty to be structural`)
    const either = { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }
    testServer.create("CustomResourceDefinition", definitionWithSchema(specSchema(either)))
  })
})
