import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { adapters } from "../src/adapters/index.ts"
import { readVectorFiles } from "../src/files.ts"
import { runFile } from "../src/run.ts"

const directory = fileURLToPath(new URL("../fixtures/vectors", import.meta.url))

describe("vectors", () => {
  for (const file of readVectorFiles(directory)) {
    it(`${file.subject}: ${file.cases.length} cases`, () => {
      const outcome = runFile(file, adapters)
      assert.deepStrictEqual(outcome.failures, [])
      assert.strictEqual(outcome.passed, file.cases.length)
      assert.isAbove(outcome.passed, 0)
    })
  }
})
