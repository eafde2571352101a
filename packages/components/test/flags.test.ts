import { assert, describe, it } from "@effect/vitest"
import { formatDuration, parseDuration } from "@rollcall/api"
import * as Result from "effect/Result"
import { faultProgram } from "../src/commands/fault.ts"
import { nodesProgram } from "../src/commands/nodes.ts"
import { type Flags, flag } from "../src/flags/Flag.ts"
import { commandLine, type Program, parseFlags, usageOf } from "../src/flags/parseFlags.ts"
import { apiserverProgram } from "../src/programs/apiserver.ts"
import { cloudControllerManagerProgram } from "../src/programs/cloudControllerManager.ts"
import { controllerManagerProgram } from "../src/programs/controllerManager.ts"
import { kubeletProgram } from "../src/programs/kubelet.ts"
import { schedulerProgram } from "../src/programs/scheduler.ts"
import { upProgram } from "../src/programs/up.ts"

const flags = {
  name: flag.text("x", "a name"),
  grace: flag.duration(1000, "a time"),
  count: flag.integer(1, "how many"),
  rate: flag.number(0.5, "how often"),
  quiet: flag.boolean(false, "say nothing"),
  mode: flag.oneOf(["a", "b"], "a", "how"),
  zones: flag.texts("where"),
  labels: flag.pairs("labels")
}
const program: Program<typeof flags> = { name: "tool", about: "A tool.", flags, ignored: ["old-flag"] }

const parse = (...args: ReadonlyArray<string>) => parseFlags(program, args)
const values = (...args: ReadonlyArray<string>) => {
  const parsed = parse(...args)
  return Result.isSuccess(parsed) ? parsed.success.values : assert.fail(parsed.failure.message)
}
const valuesOfHelp = (...args: ReadonlyArray<string>) => {
  const parsed = parseFlags(schedulerProgram, args)
  return Result.isSuccess(parsed) ? parsed.success.values : assert.fail(parsed.failure.message)
}
const refusal = (...args: ReadonlyArray<string>) => {
  const parsed = parse(...args)
  return Result.isFailure(parsed) ? parsed.failure.message : assert.fail("accepted")
}

describe("parseFlags", () => {
  it("has the initial values where nothing is given", () => {
    assert.deepStrictEqual(values(), {
      name: "x",
      grace: 1000,
      count: 1,
      rate: 0.5,
      quiet: false,
      mode: "a",
      zones: [],
      labels: {}
    })
  })

  it("reads --name=value, --name value, -name, underscores, switches and lists", () => {
    assert.deepInclude(values("--name=y", "--grace", "5m", "-count=3"), { name: "y", grace: 300_000, count: 3 })
    assert.deepInclude(values("--quiet"), { quiet: true })
    assert.deepInclude(values("--quiet=false"), { quiet: false })
    assert.deepInclude(values("--zones=a,b", "--zones", "c"), { zones: ["a", "b", "c"] })
    assert.deepInclude(values("--labels=k=v,l=", "--labels=m=a=b"), { labels: { k: "v", l: "", m: "a=b" } })
  })

  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [["--nam=x"], "command line: --nam: unknown flag of tool; did you mean --name?"],
    [["--entirely-else"], "command line: --entirely-else: unknown flag of tool; --help lists the flags"],
    [["--count=many"], 'command line: --count: found "many", expected a whole number'],
    [["--count=1.5"], 'command line: --count: found "1.5", expected a whole number'],
    [["--rate="], 'command line: --rate: found "", expected a number'],
    [["--grace=soon"], 'command line: --grace: found "soon", expected a duration such as 40s or 5m'],
    [["--quiet=maybe"], 'command line: --quiet: found "maybe", expected true or false'],
    [["--mode=c"], 'command line: --mode: found "c", expected one of a, b'],
    [["--labels=k"], 'command line: --labels: found "k", expected key=value pairs separated by commas'],
    [["--name"], "command line: --name: needs a value, expected a text"],
    [["file.yaml"], 'command line: found "file.yaml", tool takes flags only']
  ]
  for (const [args, message] of wrong) {
    it(`refuses ${args.join(" ")}`, () => assert.strictEqual(refusal(...args), message))
  }

  it("warns of flags that the real component has, and reads on behind their values", () => {
    const parsed = parse("--old-flag", "5", "--old-flag=6", "--name=y")
    if (Result.isFailure(parsed)) return assert.fail(parsed.failure.message)
    assert.deepStrictEqual(parsed.success.warnings, [
      "--old-flag is not supported and has no effect",
      "--old-flag is not supported and has no effect"
    ])
    assert.strictEqual(parsed.success.values.name, "y")
    assert.deepStrictEqual([...parsed.success.given], ["name"])
  })

  it("shows each flag with its default", () => {
    assert.include(usageOf(program), "--grace duration")
    assert.include(usageOf(program), "how many (default 1)")
    assert.include(usageOf(program), "a time (default 1s)")
  })

  it("shows help for -h, too", () => assert.isTrue(valuesOfHelp("-h").help))
})

describe("the components' command lines", () => {
  const programs = {
    up: upProgram,
    apiserver: apiserverProgram,
    "controller-manager": controllerManagerProgram,
    "cloud-controller-manager": cloudControllerManagerProgram,
    scheduler: schedulerProgram,
    kubelet: kubeletProgram,
    fault: faultProgram,
    nodes: nodesProgram
  }
  for (const [verb, known] of Object.entries<Program<Flags>>(programs)) {
    it(`of ${verb} show durations as Kubernetes does, no default that says nothing, and the verb that was typed`, () => {
      const { parse: read, usage } = commandLine(known, `rollcall ${verb}`)
      assert.include(usage(), `Usage:\n  rollcall ${verb} [flags]`)
      const lines = usage().split("\n")
      for (const [name, { placeholder }] of Object.entries(known.flags)) {
        const line = lines.find((candidate) => candidate.trimStart().startsWith(`--${name} `)) ?? ""
        const [, shown] = /\(default ([^)]*)\)$/.exec(line) ?? []
        if (shown === undefined) continue
        assert.notMatch(shown, /object|undefined|NaN/, name)
        if (placeholder === "duration") assert.strictEqual(formatDuration(parseDuration(shown)), shown, name)
      }
      const refused = read(["--entirely-else"])
      assert.include(Result.isFailure(refused) ? refused.failure.message : "", `unknown flag of rollcall ${verb};`)
    })
  }

  const accepted: ReadonlyArray<readonly [Program<never>, ReadonlyArray<string>]> = [
    [controllerManagerProgram, ["--node-monitor-grace-period=20s", "--node-eviction-rate=0.5", "--leader-elect=false"]],
    [controllerManagerProgram, ["--kube-api-qps=100", "--kube-api-burst=200", "--kubeconfig=/x", "--profiling=false"]],
    [schedulerProgram, ["--kube-api-qps=50", "--leader-elect-lease-duration=30s", "--config=/x"]],
    [kubeletProgram, ["--hostname-override=n", "--node-labels=a=b", "--register-with-taints=k=v:NoSchedule"]],
    [kubeletProgram, ["--node-status-update-frequency=20s", "--max-pods=10", "--cluster-dns=10.0.0.1"]],
    [apiserverProgram, ["--data-dir=/x", "--secure-port=0", "--authorization-mode=Node,RBAC", "--etcd-servers=x"]],
    [upProgram, ["--nodes=5", "--zones=2", "--speed=60", "--exit-when-ready"]]
  ].map(([known, args]) => [known as unknown as Program<never>, args as ReadonlyArray<string>])
  for (const [known, args] of accepted) {
    it(`${known.name} takes ${args.join(" ")}`, () => assert.isTrue(Result.isSuccess(parseFlags(known, args))))
  }
})
