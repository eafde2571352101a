import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { checkStrictly } from "../src/index.ts"

const Fleet = Schema.Struct({
  zones: Schema.Int,
  mode: Schema.optionalKey(Schema.Literals(["quiet", "busy"])),
  groups: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String })))
})

const problems = (input: unknown, base?: string): ReadonlyArray<string> =>
  Result.match(checkStrictly(Fleet)("fleet.yaml", input, base), {
    onSuccess: () => [],
    onFailure: (error) => error.problems.map(({ message, path }) => `${path}: ${message}`)
  })

describe("a value that a person wrote", () => {
  it("is taken as it is where the schema knows all of it", () => {
    assert.deepStrictEqual(problems({ zones: 3, mode: "busy", groups: [{ name: "a" }] }), [])
  })

  it("has all of its problems told at once, each with its path and the nearest right name", () => {
    assert.deepStrictEqual(problems({ zone: 3, mode: "buzy", groups: [{ name: 7 }, { nam: "b" }] }), [
      'zone: unknown field; did you mean "zones"?',
      "zones: is required",
      'mode: found "buzy", expected "quiet" | "busy"; did you mean "busy"?',
      "groups[0].name: found 7, expected string",
      'groups[1].nam: unknown field; did you mean "name"?',
      "groups[1].name: is required"
    ])
  })

  it("is placed below where it stands in its file", () => {
    assert.deepStrictEqual(problems({ zones: "3" }, "spec.fleet"), ['spec.fleet.zones: found "3", expected number'])
  })

  it("is either taken or told of, whatever it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (input) => {
        const isFleet = Schema.is(Fleet)(input)
        const told = problems(input)
        const isKnown = told.every((line) => !line.includes("unknown field"))
        assert.strictEqual(told.length === 0, isFleet && isKnown)
        for (const line of told) assert.match(line, /: (found|is required|unknown field)/)
      })
    )
  })
})
