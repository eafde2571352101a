import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { demoOutput, readmeFile, shownOutput, withoutSpeed } from "../src/readme.ts"

describe("README", () => {
  it("shows what the rehearsal really prints (node tooling/house/src/readme.ts brings it up to date)", () => {
    const shown = shownOutput(readFileSync(readmeFile, "utf8"))
    assert.include(shown, "WHAT HAPPENED")
    assert.strictEqual(withoutSpeed(shown), withoutSpeed(demoOutput()))
  }, 60_000)
})
