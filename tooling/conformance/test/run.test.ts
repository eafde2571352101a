import { spawnSync } from "node:child_process"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import type { VectorFile } from "../src/Adapter.ts"
import { matchesGlob } from "../src/files.ts"
import { runFile } from "../src/run.ts"

const file: VectorFile = {
  subject: "math/double",
  about: "then = 2 * given",
  cases: [
    { name: "one", given: 1, then: 2 },
    { name: "two", given: 2, then: 4 }
  ]
}

describe("runFile", () => {
  it("passes cases that agree, and reports the expected and actual value of others", () => {
    const outcome = runFile(file, { "math/double": ({ given }) => given + 2 })
    assert.strictEqual(outcome.passed, 1)
    assert.deepStrictEqual(outcome.failures, [{ subject: "math/double", name: "one", expected: 2, actual: 3 }])
  })

  it("fails every case of a subject without an adapter", () => {
    assert.strictEqual(runFile(file, {}).failures.length, 2)
  })

  it("counts an exception of an adapter as a failure", () => {
    const outcome = runFile(file, {
      "math/double": () => {
        throw new Error("boom")
      }
    })
    assert.strictEqual(outcome.failures.length, 2)
    assert.include(outcome.failures[0]?.actual, "boom")
  })

  it("ignores fields that are undefined, and reports fields that are missing", () => {
    const object: VectorFile = { subject: "a/b", about: "", cases: [{ name: "x", given: {}, then: { a: 1 } }] }
    assert.strictEqual(runFile(object, { "a/b": () => ({ a: 1, b: undefined }) }).passed, 1)
    assert.strictEqual(runFile(object, { "a/b": () => ({}) }).passed, 0)
  })
})

describe("matchesGlob", () => {
  it("matches * within one path segment only", () => {
    assert.isTrue(matchesGlob("lifecycle/*", "lifecycle/zone-key"))
    assert.isFalse(matchesGlob("life*", "lifecycle/zone-key"))
    assert.isTrue(matchesGlob("**", "lifecycle/zone-key"))
    assert.isTrue(matchesGlob("{eviction,lifecycle}/zone-*", "lifecycle/zone-key"))
    assert.isFalse(matchesGlob("api/labelselector", "api/labelselectors"))
  })
})

describe("the command", () => {
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
  const run = (...args: ReadonlyArray<string>) => spawnSync(process.execPath, [main, ...args], { encoding: "utf8" })

  it("reads any folder of vectors, prints both values of a failed case, and the count at the end", () => {
    const folder = mkdtempSync(join(tmpdir(), "vectors-"))
    writeFileSync(join(folder, "math-double.json"), JSON.stringify(file))
    const result = run("--vectors", folder)
    assert.strictEqual(result.status, 1)
    assert.include(result.stdout, "FAIL math/double: one")
    assert.match(result.stdout, /^0 passed, 2 failed$/m)
  })

  it("refuses a missing folder and a glob without matches", () => {
    assert.strictEqual(run("--vectors", "/nowhere/at/all").status, 2)
    assert.strictEqual(run("--subject", "no/such").status, 2)
  })
})
