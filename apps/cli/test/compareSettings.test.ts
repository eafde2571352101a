import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { run } from "./cli.ts"

const example = fileURLToPath(new URL("../../../examples/zone-outage.yaml", import.meta.url))
const page = readFileSync(new URL("../../../docs/reference/scenario.md", import.meta.url), "utf8")
const grace = "spec.config.kubeControllerManager.nodeLifecycleController.nodeMonitorGracePeriod"

const settings = (...args: ReadonlyArray<string>) => run("compare", "settings", ...args)

describe("rollcall compare settings", () => {
  it("prints what docs/reference/scenario.md shows", { timeout: 60_000 }, async () => {
    const shown = /<!-- output of: compare settings -->\n```text\n([\s\S]*?)```/.exec(page)?.[1]
    const { code, stderr, stdout } = await settings(example, "--seeds", "3", "--vary", `${grace}=20s,50s,2m`)
    assert.deepStrictEqual([code, stderr, stdout], [0, "", shown])
  })

  it("compares values as JSON: one column each, and the common seeds", { timeout: 60_000 }, async () => {
    const { stdout } = await settings(
      example,
      "--seed",
      "3",
      "--seeds",
      "2",
      "--vary",
      `${grace}=20s, 60s`,
      "-o",
      "json"
    )
    const { kind, scenario, sections, seeds, setting, values } = JSON.parse(stdout)
    assert.deepStrictEqual([kind, setting, values, seeds], ["SettingComparison", grace, ["20s", "60s"], [3, 4]])
    assert.strictEqual(scenario.name, "zone-outage")
    const rows: ReadonlyArray<{ readonly what: string; readonly cells: ReadonlyArray<string> }> = sections[0].rows
    const noticed = rows.find(({ what }) => what === "  the first after")
    assert.lengthOf(noticed?.cells ?? [], 2)
    assert.match(noticed?.cells[0] ?? "", /^1\ds( to 1\ds)?$/)
    assert.match(noticed?.cells[1] ?? "", /^5\ds( to 5\ds)?$/)
  })

  it("refuses settings that cannot vary, and more than one scenario", async () => {
    const refusals: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [[example, "--vary", "nothing"], '--vary: found "nothing", expected spec.path=value,value,…'],
      [[example, "--vary", "spec.seed=1,"], "--vary: found"],
      [[example, "--vary", "spec.duration=soon,10m"], 'spec.duration: found "soon"'],
      [[example, "--vary", `${grace}s=20s`], 'did you mean "nodeLifecycleController.nodeMonitorGracePeriod"?'],
      [
        [example, "--vary", `${grace}=20s`, "--seeds", "0"],
        '"--seeds" flag: value out of range; expected a whole number from 1 to 1000'
      ],
      [[example, example, "--vary", `${grace}=20s`], "expected one to compare settings by"]
    ]
    for (const [args, message] of refusals) {
      const { code, stderr, stdout } = await settings(...args)
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.include(stderr, message)
    }
  })
})
