import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { figureViolations, pagesOf } from "../src/figures.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

describe("the pages of the project", () => {
  it("are the README, the docs and the README of each member", () => {
    const pages = pagesOf(root)
    for (const page of ["README.md", "docs/performance.md", "packages/eviction/README.md"]) assert.include(pages, page)
  })

  for (const page of pagesOf(root)) {
    it(`${page}: each figure names its source`, () => assert.deepStrictEqual(figureViolations(root, page), []))
  }
})

describe("a page", () => {
  const files: Readonly<Record<string, string>> = {
    "tooling/bench/src/main.ts": "pnpm bench [store] [server]",
    "tooling/live/src/proofs.ts": "gates",
    "src/limits.ts": "const MAX_BYTES = 16 << 20\nconst WAIT_MS = 1_500\nconst PART = 0.55",
    "cases/a.json": JSON.stringify({ cases: [1, 2] }),
    "cases/b.json": JSON.stringify({ cases: [3] })
  }
  const violationsOf = (page: string): ReadonlyArray<string> => {
    const folder = mkdtempSync(join(tmpdir(), "figures-"))
    for (const [file, text] of Object.entries({ ...files, "page.md": page })) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), text)
    }
    return figureViolations(folder, "page.md")
  }

  it("may not quote a figure without its source", () => {
    const [violation = ""] = violationsOf("# A\n\nIt takes 12 ms, or 3 MiB.")
    assert.include(violation, "page.md:1: 12 ms, 3 MiB")
    assert.strictEqual(violationsOf("# A\n\nIt takes a while, `12 ms`.\n\n```text\n12 ms\n```").length, 0)
  })

  it("names an existing program, for the part up to the next heading", () => {
    const part = "<!-- figures: pnpm bench server -->\nIt takes 12 ms.\n"
    assert.deepStrictEqual(violationsOf(part), [])
    assert.strictEqual(violationsOf(`${part}\n## B\n\nAnd 13 ms.`).length, 1)
    assert.include(violationsOf(part.replace("server", "serve"))[0] ?? "", "no such program")
    assert.include(violationsOf(part.replace("bench server", "speed"))[0] ?? "", "no such program")
  })

  it("or a file that holds each number", () => {
    const part = (text: string) => `<!-- figures: src/limits.ts -->\n${text}\n`
    assert.deepStrictEqual(violationsOf(part("At most 16 MiB, 1,500 ms, 55 %.")), [])
    assert.include(violationsOf(part("At most 6 MiB."))[0] ?? "", "6 MiB is not in src/limits.ts")
    assert.include(violationsOf(part("At most 17 MiB."))[0] ?? "", "17 MiB is not in")
    assert.include(violationsOf("<!-- figures: src/none.ts -->\n16 MiB")[0] ?? "", "no such program or file")
  })

  it("has correct counts", () => {
    assert.deepStrictEqual(violationsOf("<!-- count: 3 cases of cases -->\nAll three of them."), [])
    assert.deepStrictEqual(violationsOf("<!-- count: 2 files of cases -->\nThe 2 files."), [])
    assert.include(violationsOf("<!-- count: 4 cases of cases -->\nAll 4 of them.")[0] ?? "", "there are 3")
    assert.include(violationsOf("<!-- count: 3 cases of cases -->\nAll of them.")[0] ?? "", "not said below")
    assert.include(violationsOf("<!-- count: 3 cases of nowhere -->\nAll 3.")[0] ?? "", "no such folder")
  })
})
