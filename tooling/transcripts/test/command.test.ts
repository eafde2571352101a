import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Case } from "../src/Case.ts"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
const run = (...args: ReadonlyArray<string>) => spawnSync(process.execPath, [main, ...args], { encoding: "utf8" })

const withCases = (cases: ReadonlyArray<Case>, use: (file: string) => void) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "transcripts-test-"))),
    (folder) =>
      Effect.sync(() => {
        const file = join(folder, "cases.json")
        writeFileSync(file, JSON.stringify({ cases }))
        use(file)
      }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

const readingCase = (name: string, message: string): Case => ({
  name,
  steps: [
    {
      http: { method: "GET", path: "/api/v1/namespaces/{{ns}}/configmaps/c" },
      status: 404,
      pick: [["message"]],
      body: [[["message"], message]]
    }
  ]
})

describe("the command", () => {
  it.live(
    "reports differences, and fails",
    () => {
      const cases = [
        readingCase("own/right", 'configmaps "c" not found'),
        readingCase("own/wrong", 'configmaps "d" not found')
      ]
      return withCases(cases, (file) => {
        const { status, stdout } = run(file)
        assert.strictEqual(status, 1)
        assert.notInclude(stdout, "FAIL own/right")
        assert.include(stdout, "FAIL own/wrong\n$ GET /api/v1/namespaces/{{ns}}/configmaps/c\n")
        assert.include(stdout, '-  "configmaps \\"d\\" not found"\n+  "configmaps \\"c\\" not found"')
        assert.isTrue(stdout.endsWith("1 passed, 1 failed\n"))
        assert.strictEqual(run("--quiet", file).stdout, "FAIL own/wrong\n1 passed, 1 failed\n")
        assert.strictEqual(run("--case", "own/right", file).status, 0)
      })
    },
    60_000
  )

  it("refuses unknown arguments, and fails if no case matches", () => {
    assert.strictEqual(run("--only", "some").status, 2)
    assert.strictEqual(run("--zork").status, 2)
    assert.strictEqual(run("/nonexistent.json").status, 2)
    assert.strictEqual(run("--kubectl", "/nonexistent").status, 2)
    assert.strictEqual(run("--kubeconfig", "/nonexistent", "--case", "http-auth/*").status, 2)
    assert.strictEqual(run("--case", "none/at-all").status, 1)
    assert.strictEqual(run("--help").status, 0)
  }, 60_000)
})
