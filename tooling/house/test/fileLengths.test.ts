import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "vitest"
import { lengthViolations, MAX_LINES } from "../src/fileLengths.ts"
import type { Member } from "../src/floors.ts"

it("tells the sources that are too long, and those that are named for it and are not", () => {
  const root = mkdtempSync(join(tmpdir(), "house-"))
  const source = (name: string, lines: number) => {
    mkdirSync(join(root, "packages/a/src", name, ".."), { recursive: true })
    writeFileSync(join(root, "packages/a/src", name), "x\n".repeat(lines))
  }
  source("most.ts", MAX_LINES)
  source("inner/long.ts", MAX_LINES + 1)
  source("table.ts", 1000)
  source("testing/contract.ts", 1000)
  source("inner/index.ts", 1000)
  const member: Member = {
    name: "a",
    folder: "packages/a",
    floor: 1,
    folders: undefined,
    dependencies: [],
    imports: []
  }
  const allowed = { "packages/a/src/table.ts": "a table", "packages/a/src/most.ts": "no more" }
  const found = lengthViolations(root, [member], allowed)
  rmSync(root, { recursive: true })
  assert.deepStrictEqual(
    found.map((line) => line.split(";")[0]),
    ["packages/a/src/inner/long.ts: 301 lines", "packages/a/src/most.ts: is not longer than 300 lines"]
  )
})
