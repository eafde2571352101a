import { spawnSync } from "node:child_process"
import { globSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { targets } from "../src/targets.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

/** `{a,b}` as separate globs, so that a name without a file is seen. */
const expanded = (glob: string): ReadonlyArray<string> => {
  const match = /^(.*)\{(.*)\}(.*)$/.exec(glob)
  return match === null ? [glob] : (match[2] ?? "").split(",").map((part) => `${match[1]}${part}${match[3]}`)
}

describe("the files that are mutated", () => {
  for (const { mutate, name } of targets) {
    it(`${name}: each file exists`, () => {
      for (const glob of mutate.flatMap(expanded)) {
        const found = globSync(glob.replace(/^!/, ""), { cwd: `${root}/packages/${name}` })
        assert.isNotEmpty(found, glob)
      }
    })
  }
})

describe("the command", () => {
  const run = (...args: ReadonlyArray<string>) => spawnSync(process.execPath, [main, ...args], { encoding: "utf8" })

  it("refuses unknown packages and invalid flags", () => {
    assert.strictEqual(run("nothing").status, 2)
    assert.strictEqual(run("eviction", "--least", "much").status, 2)
    assert.strictEqual(run("--only", "src/a.ts").status, 2)
    assert.include(run("--help").stdout, "eviction, node-controller")
  })
})
