import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { demoOutput, readmeFile, shownOutput, withoutSpeed } from "../src/readme.ts"

describe("README", () => {
  it("shows the actual output of the rehearsal (node tooling/house/src/readme.ts updates it)", () => {
    const shown = shownOutput(readFileSync(readmeFile, "utf8"))
    assert.include(shown, "WHAT HAPPENED")
    assert.strictEqual(withoutSpeed(shown), withoutSpeed(demoOutput()))
  }, 60_000)
})
