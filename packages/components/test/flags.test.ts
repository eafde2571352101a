import { assert, describe, it } from "@effect/vitest"
import { formatDuration, parseDuration } from "@rollcall/api"
import { commandHelp, type Flags, type FlagValues, type Parsed } from "@rollcall/flags"
import type { InvalidInput } from "@rollcall/input"
import * as Result from "effect/Result"
import { faultProgram } from "../src/commands/fault.ts"
import { nodesProgram } from "../src/commands/nodes.ts"
import type { Program } from "../src/flags/Program.ts"
import { readCommandLine } from "../src/flags/readCommandLine.ts"
import { apiserverProgram } from "../src/programs/apiserver.ts"
import { cloudControllerManagerProgram } from "../src/programs/cloudControllerManager.ts"
import { controllerManagerProgram } from "../src/programs/controllerManager.ts"
import { kubeletProgram } from "../src/programs/kubelet.ts"
import { schedulerProgram } from "../src/programs/scheduler.ts"
import { upProgram } from "../src/programs/up.ts"

const refusal = (read: Result.Result<unknown, InvalidInput>): string =>
  Result.isFailure(read) ? read.failure.message : assert.fail("accepted")

const accepted = <T extends Flags>(program: Program<T>, ...args: ReadonlyArray<string>): Parsed<FlagValues<T>> => {
  const read = readCommandLine(program, program.name, args)
  return Result.isSuccess(read) ? read.success : assert.fail(read.failure.message)
}

describe("the components' command lines", () => {
  const programs: Readonly<Record<string, Program>> = {
    up: upProgram,
    apiserver: apiserverProgram,
    "controller-manager": controllerManagerProgram,
    "cloud-controller-manager": cloudControllerManagerProgram,
    scheduler: schedulerProgram,
    kubelet: kubeletProgram,
    fault: faultProgram,
    nodes: nodesProgram
  }
  for (const [verb, known] of Object.entries(programs)) {
    const typed = `rollcall ${verb}`
    it(`of ${verb} show durations as Kubernetes does, no default that says nothing, and the verb that was typed`, () => {
      const help = commandHelp(known, typed)
      assert.match(help, new RegExp(`^Usage:\n  ${typed} .*\\[flags\\]$`, "m"))
      const lines = help.split("\n")
      for (const [name, { placeholder }] of Object.entries(known.flags)) {
        const line = lines.find((candidate) => candidate.trimStart().startsWith(`--${name} `)) ?? ""
        const [, shown] = /\(default ([^)]*)\)$/.exec(line) ?? []
        if (shown === undefined) continue
        assert.notMatch(shown, /object|undefined|NaN/, name)
        if (placeholder === "duration") assert.strictEqual(formatDuration(parseDuration(shown)), shown, name)
      }
    })

    it(`of ${verb} are refused whole, with where help is`, () => {
      assert.strictEqual(
        refusal(readCommandLine(known, typed, ["--entirely-else"])),
        `command line: unknown flag: --entirely-else\nSee '${typed} --help' for usage.`
      )
      assert.include(refusal(readCommandLine(known, typed, ["--v=loud"])), 'invalid argument "loud" for "-v, --v" flag')
    })
  }

  it("keep what was found and expected, and the nearest name, for programs", () => {
    const problemOf = (arg: string) => {
      const read = readCommandLine(upProgram, "rollcall up", [arg])
      return Result.isFailure(read) ? read.failure.problems[0] : assert.fail("accepted")
    }
    assert.include(problemOf("--nodez=3"), { nearest: "--nodes" })
    assert.include(problemOf("--nodes=many"), { found: "many", expected: "a whole number" })
  })

  it("hold settings to their ranges, as files are held", () => {
    const read = readCommandLine(controllerManagerProgram, "rollcall controller-manager", ["--node-eviction-rate=-1"])
    assert.include(
      refusal(read),
      'invalid argument "-1" for "--node-eviction-rate" flag: value out of range; expected a number of at least 0'
    )
  })

  it("take flags of the genuine components", () => {
    accepted(controllerManagerProgram, "--node-monitor-grace-period=20s", "--leader-elect=false", "--kube-api-qps=100")
    accepted(controllerManagerProgram, "--kube-api-burst=200", "--kubeconfig=/x", "--profiling=false")
    accepted(schedulerProgram, "--kube-api-qps=50", "--leader-elect-lease-duration=30s", "--config=/x", "-v=4")
    accepted(kubeletProgram, "--hostname-override=n", "--node-labels=a=b", "--register-with-taints=k=v:NoSchedule")
    accepted(kubeletProgram, "--node_status_update_frequency=20s", "--max-pods=10", "--cluster-dns=10.0.0.1")
    accepted(apiserverProgram, "--data-dir=/x", "--secure-port=0", "--authorization-mode=Node,RBAC", "--etcd-servers=x")
    accepted(upProgram, "--nodes=5", "--zones=2", "--speed=60", "--exit-when-ready", "-v4")
  })
})
