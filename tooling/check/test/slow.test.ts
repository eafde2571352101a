import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, it } from "vitest"
import { slow } from "../src/slow.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

it("names slow test files that there are, each once", () => {
  assert.deepStrictEqual(
    slow.filter((file) => !existsSync(`${root}/${file}`)),
    []
  )
  assert.strictEqual(new Set(slow).size, slow.length)
})
