import { assert, describe, it } from "@effect/vitest"
import { schemaFormFaults } from "../../src/validation/definitions/schemaForm.ts"

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
