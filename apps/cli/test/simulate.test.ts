import { existsSync, readFileSync, symlinkSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { expectationThatFails, expectationThatHolds, makeFolder, run, scenario } from "./cli.ts"

interface Result {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: { readonly release: string; readonly seed: number; readonly durationSeconds: number }
  readonly expectations: ReadonlyArray<{ readonly name: string; readonly held: boolean; readonly at: number }>
  readonly summary: { readonly traceDigest: string; readonly wallSeconds: number; readonly events: number }
  readonly warnings: ReadonlyArray<string>
  readonly trace: ReadonlyArray<{ readonly at: number; readonly type: string }>
}

const readResult = (text: string): Result => JSON.parse(text)
const lines = (text: string) => text.trimEnd().split("\n")

describe("rollcall simulate", () => {
  it("exits 0 when every expectation held, and prints the report on stdout", async () => {
    const file = makeFolder({ "s.yaml": scenario(expectationThatHolds) })
    const { code, stderr, stdout } = await run("simulate", file("s.yaml"))
    assert.strictEqual(code, 0)
    assert.strictEqual(lines(stdout)[0], "small")
    assert.match(stdout, /partition begins \(cut off from the API; containers keep running\) on 1 node: a-0/)
    assert.match(stdout, /held {4}nobody is evicted {2}\(0\)/)
    assert.strictEqual(stderr, "")
  })

  it("exits 1 when an expectation failed, and names it", async () => {
    const file = makeFolder({ "s.yaml": scenario(expectationThatFails) })
    const { code, stdout } = await run("simulate", file("s.yaml"), "--quiet")
    assert.strictEqual(code, 1)
    assert.match(stdout, /FAILED {2}everybody is evicted {2}observed: 0 at 03:00.0/)
  })

  it("writes the whole result as JSON", async () => {
    const file = makeFolder({ "s.yaml": scenario(expectationThatHolds) })
    const { code, stdout } = await run("simulate", file("s.yaml"), "-o", "json")
    assert.strictEqual(code, 0)
    const result = readResult(stdout)
    assert.deepStrictEqual(Object.keys(result), [
      "apiVersion",
      "kind",
      "metadata",
      "spec",
      "expectations",
      "summary",
      "warnings",
      "context",
      "trace",
      "events",
      "metrics"
    ])
    assert.deepInclude(result, {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "ScenarioResult",
      metadata: { name: "small" }
    })
    assert.deepStrictEqual(result.spec, { release: "1.36", seed: 1, durationSeconds: 180 })
    assert.deepStrictEqual(
      result.expectations.map(({ held, name }) => [name, held]),
      [["nobody is evicted", true]]
    )
    assert.match(result.summary.traceDigest, /^sha256:[0-9a-f]{64}$/)
    assert.isTrue(result.trace.some(({ at, type }) => type === "FaultStarted" && at === 60))
  })

  it("writes the same result as YAML, except its duration", async () => {
    const file = makeFolder({ "s.yaml": scenario(expectationThatHolds) })
    const [json, yaml] = [
      readResult((await run("simulate", file("s.yaml"), "-o", "json")).stdout),
      parse((await run("simulate", file("s.yaml"), "-o", "yaml")).stdout) as Result
    ]
    const timeless = (result: Result) => ({ ...result, summary: { ...result.summary, wallSeconds: 0 } })
    assert.deepStrictEqual(timeless(yaml), timeless(json))
  })

  it("writes the trace alone as ndjson, one entry a line", async () => {
    const file = makeFolder({ "s.yaml": scenario(expectationThatFails) })
    const json = readResult((await run("simulate", file("s.yaml"), "-o", "json")).stdout)
    const { code, stdout } = await run("simulate", file("s.yaml"), "-o", "ndjson")
    assert.strictEqual(code, 1)
    assert.isTrue(stdout.endsWith("}\n"))
    assert.deepStrictEqual(
      lines(stdout).map((line): unknown => JSON.parse(line)),
      [...json.trace]
    )
  })

  it("writes one page, of several scenarios too", async () => {
    const file = makeFolder({ "s.yaml": scenario(expectationThatHolds), "t.yaml": scenario(expectationThatFails) })
    const { code, stdout } = await run("simulate", file("s.yaml"), file("t.yaml"), "-o", "html", "--quiet")
    assert.strictEqual(code, 1)
    assert.isTrue(stdout.startsWith("<!doctype html>\n") && stdout.endsWith("</html>\n"))
    assert.lengthOf([...stdout.matchAll(/<article /g)], 2)
    assert.include(stdout, "a-0: not Ready")
    assert.match(stdout, /1 of 1 expectation failed/)
  })

  it("writes to a file instead", async () => {
    const file = makeFolder({ "s.yaml": scenario(expectationThatFails), "old.json": "x".repeat(200_000) })
    for (const name of ["new.json", "old.json"]) {
      const { code, stderr, stdout } = await run("simulate", file("s.yaml"), "-o", "json", "--out", file(name))
      assert.deepStrictEqual([code, stdout, stderr], [1, "", ""])
      assert.strictEqual(readResult(readFileSync(file(name), "utf8")).kind, "ScenarioResult")
    }
  })

  it("accepts a seed, an end and settings on the command line", async () => {
    const file = makeFolder({ "s.yaml": scenario() })
    const simulate = async (...flags: ReadonlyArray<string>) =>
      readResult((await run("simulate", file("s.yaml"), "-o", "json", ...flags)).stdout)
    assert.strictEqual((await simulate("--seed", "9")).spec.seed, 9)
    const short = await simulate("--until", "90s")
    assert.strictEqual(short.spec.durationSeconds, 90)
    assert.isTrue(short.trace.every(({ at }) => at <= 90))
    const strict = await simulate(
      "--set",
      "spec.config.kubeControllerManager.nodeLifecycleController.nodeMonitorGracePeriod=20s",
      "--set",
      "metadata.name=strict"
    )
    assert.strictEqual(strict.metadata.name, "strict")
    const noticed = (result: Result) => result.trace.find((entry) => "to" in entry && entry.to === "Unknown")?.at ?? 0
    assert.isBelow(noticed(strict), 80)
    assert.isAbove(noticed(await simulate()), 95)
  })

  it("traces heartbeats with --trace-leases", async () => {
    const file = makeFolder({ "s.yaml": scenario() })
    const renewals = async (...flags: ReadonlyArray<string>) =>
      lines((await run("simulate", file("s.yaml"), "-o", "ndjson", ...flags)).stdout).filter((line) =>
        line.includes("LeaseRenewed")
      ).length
    assert.strictEqual(await renewals(), 0)
    assert.isAbove(await renewals("--trace", "leases"), 20)
  })

  it("rehearses several files, and several scenarios of one", async () => {
    const file = makeFolder({
      "one.yaml": scenario(expectationThatHolds, "one"),
      "two.yaml": `${scenario(expectationThatFails, "two")}---${scenario(expectationThatHolds, "three")}`
    })
    const files = [file("one.yaml"), file("two.yaml")]
    const yaml = await run("simulate", ...files, "-o", "yaml")
    assert.strictEqual(yaml.code, 1)
    assert.deepStrictEqual(
      parseAllDocuments(yaml.stdout).map((document) => (document.toJS() as Result).metadata.name),
      ["one", "two", "three"]
    )
    const table = await run("simulate", ...files)
    for (const name of ["one", "two", "three"]) assert.match(table.stdout, new RegExp(`^${name}$`, "m"))
  })

  it("creates objects of other files with the scenario", async () => {
    const pod = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "extra"}, "spec": {"nodeName": "a-1"}}`
    const file = makeFolder({ "s.yaml": scenario(), "pod.json": pod })
    const { stdout } = await run("simulate", file("s.yaml"), file("pod.json"), "-o", "ndjson")
    assert.isTrue(lines(stdout).some((line) => line.includes('"PodCreated"') && line.includes('"extra"')))
  })

  it("refuses objects of other files when there are several scenarios", async () => {
    const pod = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "extra"}}`
    const file = makeFolder({ "one.yaml": scenario(), "two.yaml": scenario(), "pod.json": pod })
    const { code, stderr } = await run("simulate", file("one.yaml"), file("pod.json"), file("two.yaml"))
    assert.strictEqual(code, 2)
    assert.isTrue(stderr.startsWith(`rollcall: ${file("pod.json")}: holds no Scenario, and could belong to several`))
  })

  it("warns on stderr, unless quiet, and always in the result", async () => {
    const more = "config: { kubelet: { maxOpenFiles: 1000 } }"
    const file = makeFolder({ "s.yaml": scenario(more) })
    const loud = await run("simulate", file("s.yaml"), "-o", "json")
    const warning = `${file("s.yaml")}: spec.config.kubelet.maxOpenFiles is not supported and has no effect`
    assert.strictEqual(loud.stderr, `rollcall: warning: ${warning}\n`)
    const quiet = await run("simulate", file("s.yaml"), "-o", "json", "--quiet")
    assert.strictEqual(quiet.stderr, "")
    assert.deepStrictEqual(readResult(quiet.stdout).warnings, [warning])
  })
})

describe("wrong input", () => {
  const good = scenario(expectationThatHolds)

  it("is one clear message on stderr; stdout stays empty, and the output file is unchanged", async () => {
    const file = makeFolder({
      "field.yaml": good.replace("duration", "duraton"),
      "name.yaml": good.replace("a-0] }", "a-7] }"),
      "yaml.yaml": "spec: [",
      "refused.yaml": good.replace("name: p }", "name: Not_A_Name }"),
      "result.json": "as it was"
    })
    const table = [
      ["field.yaml", ':6: spec.duraton: unknown field; did you mean "duration"?\n'],
      ["name.yaml", ':12: spec.events[0].nodes.names[0]: no node "a-7" in this cluster; did you mean "a-0"?\n'],
      ["yaml.yaml", ":1: not YAML"],
      ["refused.yaml", ': spec.cluster.objects[0]: Pod "Not_A_Name" is invalid'],
      ["missing.yaml", ": no such file\n"]
    ] as const
    for (const [name, message] of table) {
      for (const out of ["result.json", "absent.json"]) {
        const { code, stderr, stdout } = await run("simulate", file(name), "-o", "json", "--out", file(out))
        assert.deepStrictEqual([code, stdout], [2, ""], name)
        assert.isTrue(stderr.startsWith(`rollcall: ${file(name)}${message}`), stderr)
      }
      assert.strictEqual(readFileSync(file("result.json"), "utf8"), "as it was")
      assert.isFalse(existsSync(file("absent.json")))
    }
  })

  it("never overwrites an input file, by any path", async () => {
    const manifest = "apiVersion: v1\nkind: Namespace\nmetadata: { name: shop }\n"
    const file = makeFolder({
      "s.yaml": good.replace("    objects:", "    manifests: [m.yaml]\n    objects:"),
      "m.yaml": manifest
    })
    symlinkSync(file("m.yaml"), file("link"))
    for (const out of ["s.yaml", "link"]) {
      const { code, stderr } = await run("simulate", file("s.yaml"), "--out", file(out))
      assert.strictEqual(code, 2)
      assert.include(stderr, "which is read: name another file")
    }
    assert.strictEqual(readFileSync(file("m.yaml"), "utf8"), manifest)
  })

  it("includes an output file that cannot be written", async () => {
    const file = makeFolder({ "s.yaml": good })
    const { code, stderr, stdout } = await run("simulate", file("s.yaml"), "--out", file("no/such/folder"))
    assert.deepStrictEqual([code, stdout], [2, ""])
    assert.match(stderr, /^rollcall: --out: .*no\/such\/folder: no such folder/)
  })

  it("can be in any of several files", async () => {
    const file = makeFolder({ "good.yaml": good, "bad.yaml": good.replace("duration", "duraton") })
    for (const files of [
      ["good.yaml", "bad.yaml"],
      ["bad.yaml", "good.yaml"]
    ]) {
      const { code, stdout } = await run("simulate", ...files.map(file))
      assert.deepStrictEqual([code, stdout], [2, ""])
    }
  })

  it("can be a bad value on the command line", async () => {
    const file = makeFolder({ "s.yaml": good })
    const refused = async (...flags: ReadonlyArray<string>) => {
      const { code, stderr, stdout } = await run("simulate", file("s.yaml"), ...flags)
      assert.deepStrictEqual([code, stdout], [2, ""], flags.join(" "))
      return lines(stderr)[0]
    }
    assert.strictEqual(
      await refused("--until", "later"),
      'rollcall: --until: found "later", expected a duration above 0 such as 30m'
    )
    assert.strictEqual(
      await refused("--set", "seed=3"),
      "rollcall: --set: seed=3: expected spec.path=value, such as spec.duration=30m"
    )
    assert.match((await refused("--seed", "x")) ?? "", /^rollcall: .*"x" for "--seed" flag/)
    assert.match(
      (await refused("-o", "xml")) ?? "",
      /^rollcall: .*"xml" for "-o, --output" flag: must be one of table, json, yaml, ndjson, html, svg/
    )
    assert.match((await refused("--trace", "all")) ?? "", /^rollcall: .*"all" for "--trace" flag: must be leases/)
    assert.match(
      (await refused("--sed", "1")) ?? "",
      /^rollcall: command line: unknown flag: --sed; did you mean "--seed"/
    )
  })
})

describe("rollcall", () => {
  it("prints its help and its version", async () => {
    const help = await run("--help")
    assert.strictEqual(help.code, 0)
    assert.match(help.stdout, /simulate/)
    assert.strictEqual(help.stderr, "")
    const simulate = await run("simulate", "--help")
    assert.strictEqual(simulate.code, 0)
    for (const flag of ["--seed", "--until", "--set", "-o, --output", "--out", "--quiet", "--trace"]) {
      assert.include(simulate.stdout, flag)
    }
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
    assert.deepStrictEqual(await run("--version"), { code: 0, stdout: `rollcall v${version}\n`, stderr: "" })
  })

  it("refuses unknown commands and flags", async () => {
    assert.deepStrictEqual((await run("simulate")).code, 2)
    const { code, stderr, stdout } = await run("simulat", "x.yaml")
    assert.deepStrictEqual([code, stdout], [2, ""])
    assert.match(stderr, /^rollcall: command line: unknown command "simulat" for "rollcall"; did you mean "simulate"/)
    assert.match(stderr, /See 'rollcall --help' for usage\.\n$/)
  })
})
