import { globSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { pageRuns, pages, readPage, root, runOf, withOutput } from "./pageRuns.ts"

describe("the outputs of rehearsals in pages (node apps/cli/test/refreshPages.ts updates them)", () => {
  const runs = pageRuns()

  it("are many", () => assert.isAtLeast(runs.length, 12))

  for (const run of runs) {
    it(`${run.file}: the output, and the picture`, { timeout: 60_000 }, async () => {
      const { failed, picture, table } = await runOf(run)
      assert.deepStrictEqual(failed, [])
      for (const page of run.pages) {
        const text = readPage(page)
        assert.strictEqual(text, withOutput(text, run, table), page)
        if (!page.startsWith("docs/concepts/")) continue
        // A reader who runs the command sees what the page shows.
        assert.include(text, `rollcall simulate ${run.file}`)
      }
      if (run.picture !== undefined) assert.strictEqual(readPage(run.picture), picture)
    })
  }

  it("have no picture that no page shows", () => {
    const text = pages.map(readPage).join("\n")
    const pictures = globSync("*", { cwd: join(root, "docs/pictures") })
    assert.deepStrictEqual(
      pictures.filter((name) => !text.includes(`pictures/${name})`)),
      []
    )
  })
})
