import { assert, describe, it } from "vitest"
import { run } from "./cli.ts"
import { readPage } from "./pageRuns.ts"

describe("rollcall plan scale", () => {
  it("prints what the page shows", async () => {
    const { code, stdout } = await run("plan", "scale")
    assert.strictEqual(code, 0)
    const [, shown] =
      /<!-- output of: rollcall plan scale -->\n```text\n([^`]*)```\n/.exec(readPage("docs/scale.md")) ?? []
    assert.strictEqual(shown, stdout)
  })

  it("prints sizes of one's own, as JSON too", async () => {
    const { stdout } = await run("plan", "scale", "1,000", "--pod-life", "1h", "-o", "json")
    const { each, loads } = JSON.parse(stdout)
    assert.lengthOf(loads, 1)
    assert.strictEqual(loads[0].nodes, 1000)
    assert.strictEqual(loads[0].renewalsPerSecond, 1000 * each.renewalsPerSecond)
  })

  it("refuses what is no number of nodes, and no duration", async () => {
    const { code, stderr } = await run("plan", "scale", "many")
    assert.strictEqual(code, 2)
    assert.include(stderr, 'found "many", expected a number of nodes up to 1000000')
    assert.include((await run("plan", "scale", "--pod-life", "0s")).stderr, '--pod-life: found "0s"')
  })
})
