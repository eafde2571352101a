import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { expectationThatFails, expectationThatHolds, makeFolder, run, scenario } from "./cli.ts"

/** Removes the speed, which differs between runs. */
const withoutSpeed = (text: string): string =>
  text.replace(/ in [\d.]+s \([\d,]+ times real time\)/g, "").replace(/^ *"?wallSeconds"?: .*$/gm, "")

const example = fileURLToPath(new URL("../../../examples/zone-outage.yaml", import.meta.url))

describe("rollcall report", () => {
  it("prints the same for a saved result as simulate", { timeout: 60_000 }, async () => {
    const file = makeFolder({
      "one.yaml": scenario(expectationThatHolds, "one"),
      "two.yaml": scenario(expectationThatFails, "two")
    })
    const scenarios = [file("one.yaml"), file("two.yaml")]
    await run("simulate", ...scenarios, "-o", "json", "--out", file("r.json"), "--quiet")
    for (const format of ["table", "html"]) {
      const simulated = await run("simulate", ...scenarios, "-o", format, "--quiet")
      const reported = await run("report", file("r.json"), "-o", format)
      assert.deepStrictEqual([reported.code, reported.stderr], [0, ""])
      assert.strictEqual(withoutSpeed(reported.stdout), withoutSpeed(simulated.stdout))
    }
    assert.strictEqual((await run("report", file("r.json"), "-o", "json")).stdout, readFileSync(file("r.json"), "utf8"))
  })

  it("prints the same for a scenario with --set, and for comparisons", { timeout: 60_000 }, async () => {
    const file = makeFolder({})
    const grace = "spec.config.kubeControllerManager.nodeLifecycleController.nodeMonitorGracePeriod"
    const commands = [
      ["simulate", example, "--set", `${grace}=20s`, "--quiet"],
      ["compare", "settings", example, "--vary", `${grace}=20s,50s`],
      ["compare", "releases"]
    ]
    for (const command of commands) {
      const { stdout: json } = await run(...command, "-o", "json")
      writeFileSync(file("r.json"), json)
      const { stdout: table } = await run(...command)
      assert.strictEqual(withoutSpeed((await run("report", file("r.json"))).stdout), withoutSpeed(table))
    }
  })

  it("writes to --out, but never over its input", async () => {
    const file = makeFolder({ "s.yaml": scenario(expectationThatHolds) })
    const { stdout } = await run("simulate", file("s.yaml"), "-o", "json", "--quiet")
    writeFileSync(file("r.json"), stdout)
    assert.deepInclude(await run("report", file("r.json"), "--out", file("r.txt")), { code: 0, stdout: "", stderr: "" })
    assert.include(readFileSync(file("r.txt"), "utf8"), "WHAT HAPPENED")
    const over = await run("report", file("r.json"), "--out", file("r.json"))
    assert.strictEqual(over.code, 2)
    assert.include(over.stderr, "which is read: name another file")
    assert.strictEqual(readFileSync(file("r.json"), "utf8"), stdout)
  })

  it("exits 2 for a file that is not a result, and writes nothing", async () => {
    const file = makeFolder({ "s.yaml": scenario(expectationThatHolds), "empty.json": "", "list.json": "[]" })
    const refusals: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [
        [file("s.yaml")],
        'kind: found "Scenario", expected one of ScenarioResult, ReleaseComparison, SettingComparison;'
      ],
      [[file("empty.json")], "empty.json: not JSON"],
      [[file("list.json")], "list.json: found [], expected a result or a comparison"],
      [[file("none.json")], "none.json: no such file"],
      [["-", "-"], "command line: FILE: standard input can be read once"]
    ]
    for (const [args, message] of refusals) {
      const { code, stderr, stdout } = await run("report", ...args)
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.include(stderr, message)
    }
  })

  it("warns of a result that cannot be trusted", async () => {
    const file = makeFolder({ "s.yaml": scenario(expectationThatHolds) })
    const { stdout } = await run("simulate", file("s.yaml"), "-o", "json", "--quiet")
    const bugs = [{ at: 3, invariant: "an invariant", message: "it broke" }]
    writeFileSync(file("r.json"), JSON.stringify({ ...JSON.parse(stdout), bugs }))
    const { code, stderr } = await run("report", file("r.json"))
    assert.strictEqual(code, 0)
    assert.strictEqual(
      stderr,
      "rollcall: warning: small: the result cannot be trusted.\n00:03.0, an invariant: it broke\n"
    )
  })
})
