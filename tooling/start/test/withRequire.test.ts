import { assert, describe, it } from "vitest"
import { withRequire } from "../src/withRequire.mjs"

const made = 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);'
/** As esbuild writes it. */
const helper = 'var __require=(x=>typeof require<"u"?require:x)(1);export{__require};'

describe("the require of a bundle", () => {
  it("is made by the file with esbuild's helper, after the line that names the program", () => {
    assert.strictEqual(withRequire(helper), made + helper)
    assert.strictEqual(withRequire(`#!/usr/bin/env node\n${helper}`), `#!/usr/bin/env node\n${made}${helper}`)
  })

  it("is not made by files that call the helper, or do without", () => {
    const caller = 'import{__require}from"./a.js";__require("node:fs")'
    assert.deepStrictEqual([caller, "f.require(1)"].map(withRequire), [caller, "f.require(1)"])
  })
})
