import { assert, describe, it } from "@effect/vitest"
import { checkAlternatives } from "../../src/validation/definitions/nestedSchema.ts"
import { schemaFormFaults } from "../../src/validation/definitions/schemaForm.ts"
import { conversionFault } from "../../src/validation/definitions/structuralSchema.ts"
import { ErrorList } from "../../src/validation/index.ts"

describe("the schemas of alternatives", () => {
  it("have no fields of the surrounding schema: an empty text is one where Go has a pointer", () => {
    const part = { "x-kubernetes-list-type": "", "x-kubernetes-map-type": "", title: "", nullable: false }
    const errors = new ErrorList()
    checkAlternatives(errors, { allOf: [part] }, "s", () => undefined)
    assert.deepStrictEqual(
      errors.all.map(({ field }) => field),
      ["s.allOf[0].x-kubernetes-list-type", "s.allOf[0].x-kubernetes-map-type"]
    )
  })
})

describe("a schema with additional items", () => {
  it("is not structural, even if these may be anything", () => {
    for (const additionalItems of [{}, false, { type: "string" }])
      assert.strictEqual(
        conversionFault({ properties: { k: { additionalItems } } }),
        "OpenAPIV3Schema 'additionalItems' is not supported"
      )
    assert.isUndefined(conversionFault({ additionalItems: null }))
  })
})

describe("the schemas of definitions and dependencies", () => {
  it("are checked, although neither is supported", () => {
    const odd = { additionalItems: {} }
    const schema = { type: "object", definitions: { b: odd, "a.io": odd }, dependencies: { c: odd, d: ["e"] } }
    assert.deepStrictEqual(
      schemaFormFaults(schema, "s").map(({ field }) => field),
      [
        "s.definitions",
        "s.dependencies",
        "s.definitions[a.io].additionalItems",
        "s.definitions[b].additionalItems",
        "s.dependencies[c].additionalItems"
      ]
    )
  })
})
