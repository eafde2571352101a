import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { anchorOf, checkLinks, lineOf, pagesOf } from "../src/pageLinks.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

describe("pageLinks", () => {
  it("finds the line that declares a name", () => {
    const source = [
      "import { decide } from './decide.ts'",
      "",
      "export const decide = () => 1",
      "class Loop {",
      "  readonly step = (now: number) => decide()",
      "  async run() { this.step(1) }",
      "}"
    ].join("\n")
    assert.strictEqual(lineOf(source, "decide"), 3)
    assert.strictEqual(lineOf(source, "Loop.step"), 5)
    assert.strictEqual(lineOf(source, "run"), 6)
    assert.strictEqual(lineOf(source, "decider"), undefined)
  })

  it("makes GitHub's anchors", () => {
    assert.strictEqual(anchorOf("One program, three worlds"), "one-program-three-worlds")
    assert.strictEqual(anchorOf("`plan drain`: what's next?"), "plan-drain-whats-next")
  })

  it("updates lines, and reports broken links", () => {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-links-"))
    writeFileSync(join(folder, "a.ts"), "\n\nexport const here = 1\n")
    const page = [
      "# Top",
      "[`here`](a.ts#L1), [up](#top), [out](https://example.org/x.md), ![picture](gone.png)",
      "[`gone`](a.ts#L1), [b](b.ts), [down](#bottom), `docs/gone.md`, `docs/{a,b}.md`",
      "```",
      "[c](c.ts)",
      "```"
    ].join("\n")
    const followed = checkLinks(folder, "page.md", page)
    assert.strictEqual(followed.page, page.replace("a.ts#L1)", "a.ts#L3)"))
    assert.deepStrictEqual(followed.problems, [
      "page.md: a.ts#L1: the file does not mention gone",
      "page.md: b.ts: no such file",
      "page.md: #bottom: no such heading",
      "page.md: docs/gone.md: no such file"
    ])
  })

  it("finds no broken links and no outdated lines in any page (pnpm format updates them)", () => {
    const problems = pagesOf(root).flatMap((file) => {
      const page = readFileSync(join(root, file), "utf8")
      const followed = checkLinks(root, file, page)
      return followed.page === page
        ? followed.problems
        : [...followed.problems, `${file}: lines have moved: pnpm format`]
    })
    assert.deepStrictEqual(problems, [])
  })
})
