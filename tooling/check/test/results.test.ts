import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { addReport, readResults, writeResults } from "../src/results.ts"

const ran = (name: string, status: string, durationMs: number) => ({
  name: `/root/${name}`,
  status,
  startTime: 100,
  endTime: 100 + durationMs
})

describe("results of test files", () => {
  it("keep the digest of a test file that passed, and the duration of each that ran", () => {
    const before = new Map([
      ["a.test.ts", { passed: "old a", durationMs: 1 }],
      ["b.test.ts", { passed: "old b", durationMs: 2 }],
      ["kept.test.ts", { passed: "kept", durationMs: 3 }],
      ["deleted.test.ts", { passed: "deleted", durationMs: 4 }]
    ])
    const digests = new Map([
      ["a.test.ts", "new a"],
      ["b.test.ts", "new b"],
      ["kept.test.ts", "kept"]
    ])
    const report = { testResults: [ran("a.test.ts", "passed", 7.6), ran("b.test.ts", "failed", 9)] }
    assert.deepStrictEqual(
      [...addReport(before, report, { digests, root: "/root" })],
      [
        ["a.test.ts", { passed: "new a", durationMs: 8 }],
        ["b.test.ts", { durationMs: 9 }],
        ["kept.test.ts", { passed: "kept", durationMs: 3 }]
      ]
    )
  })

  it("are none where the file is missing or damaged", () => {
    const folder = mkdtempSync(join(tmpdir(), "results-"))
    try {
      const path = join(folder, "cache/results.json")
      assert.strictEqual(readResults(path).size, 0)
      const results = new Map([["a.test.ts", { durationMs: 5 }]])
      writeResults(path, results)
      assert.deepStrictEqual(readResults(path), results)
      writeFileSync(path, "{")
      assert.strictEqual(readResults(path).size, 0)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
