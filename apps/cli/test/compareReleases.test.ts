import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { run } from "./cli.ts"

const scenario = fileURLToPath(new URL("../../../examples/releases.yaml", import.meta.url))
const page = readFileSync(new URL("../../../docs/concepts/releases.md", import.meta.url), "utf8")

/** The outputs that the page shows. */
const outputs = [...page.matchAll(/^```text\n([\s\S]*?)^```/gm)].map((match) => match[1])

describe("rollcall compare releases", () => {
  it("prints what docs/concepts/releases.md shows", async () => {
    const said = await run("compare", "releases")
    const rehearsed = await run("compare", "releases", scenario)
    assert.deepStrictEqual([said.stderr, rehearsed.stderr], ["", ""])
    assert.deepStrictEqual([said.stdout, rehearsed.stdout], [outputs[0], outputs[1]])
  }, 60_000)

  it("compares some of them as JSON", async () => {
    const { code, stdout } = await run("compare", "releases", "--release", "1.31", "--release", "1.35", "-o", "json")
    assert.strictEqual(code, 0)
    const { kind, releases, sections } = JSON.parse(stdout)
    assert.deepStrictEqual([kind, releases], ["ReleaseComparison", ["1.31", "1.35"]])
    const rows: ReadonlyArray<{ readonly what: string; readonly cells: ReadonlyArray<string> }> = sections[0].rows
    const silence = rows.find(({ what }) => what === "node monitor grace period")
    assert.deepStrictEqual(silence?.cells, ["40s", "50s"])
    assert.isFalse(rows.some(({ what }) => what === "how pods leave a lost node"))
  })

  it("refuses unknown releases, and more than one scenario", async () => {
    const { code, stderr } = await run("compare", "releases", "--release", "1.30")
    assert.strictEqual(code, 2)
    assert.include(stderr, 'found "1.30", expected one of 1.4, 1.26, 1.31, 1.35, 1.36')
    const both = await run("compare", "releases", scenario, scenario)
    assert.strictEqual(both.code, 2)
    assert.include(both.stderr, "expected one to compare releases by")
  })
})
