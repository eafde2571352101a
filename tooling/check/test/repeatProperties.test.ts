import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { repeatCommand, repeated } from "../src/repeatProperties.ts"

const failingProperty: fc.IProperty<[number]> = fc.property(fc.nat(), (n) => n < 1000)

const messageOf = (run: () => void): string => {
  try {
    run()
  } catch (error) {
    return error instanceof Error ? error.message : ""
  }
  return assert.fail("nothing was thrown")
}

describe("a property that fails", () => {
  it("says how to repeat it (with [these], and 'these')", () => {
    const message = messageOf(() => fc.assert(failingProperty, { seed: 7 }))
    const [, path = ""] = /path: "([\d:]+)"/.exec(message) ?? []
    const name = "^a property that fails > says how to repeat it \\(with \\[these\\], and '\\''these'\\''\\)$"
    assert.include(
      message,
      `\n  FC_SEED=7 FC_PATH=${path} pnpm exec vitest run tooling/check/test/repeatProperties.test.ts -t '${name}'\n`
    )
    assert.include(message, "Counterexample: [1000]")
  })

  it("fails again at once with the seed and the path that it named", () => {
    const first = fc.check(failingProperty, { seed: 7 })
    const again = fc.check(failingProperty, repeated({ FC_SEED: "7", FC_PATH: first.counterexamplePath ?? "" }))
    assert.deepStrictEqual([again.numRuns, again.counterexample], [1, first.counterexample])
  })

  it("needs no path when none is known", () => {
    const command = repeatCommand({ seed: -3, path: null, file: "a.test.ts", test: "b" })
    assert.strictEqual(command, "FC_SEED=-3 pnpm exec vitest run a.test.ts -t '^b$'")
  })

  it("changes nothing where no seed is given", () => assert.deepStrictEqual(repeated({}), {}))
})
