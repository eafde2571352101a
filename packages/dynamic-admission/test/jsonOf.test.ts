import { assert, describe, it } from "@effect/vitest"
import { jsonOf } from "../src/cel/jsonOf.ts"

describe("the JSON of a CEL integer", () => {
  it("is a number where that is exact, and keeps its digits elsewhere", () => {
    assert.strictEqual(jsonOf(5n), 5)
    assert.strictEqual(jsonOf(9007199254740993n), 9007199254740993n)
    assert.strictEqual(JSON.stringify(jsonOf(9223372036854775807n)), "9223372036854775807")
  })
})
