import { assert, describe, it } from "@effect/vitest"
import { releases } from "@rollcall/api"
import { Cluster, WorkQueue } from "@rollcall/cluster"
import { flag, readFlags } from "@rollcall/flags"
import { durationValue, numberValue, setting, textValue } from "@rollcall/input"
import { makeVirtualTime, metricsText, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { checkPlugins } from "../src/flags/admissionPlugins.ts"
import { controllersFlag, isEnabled, managerControllers, missingControllers } from "../src/flags/controllerNames.ts"
import { gatesOf } from "../src/flags/featureGates.ts"
import { gatesFlag } from "../src/flags/gatesFlag.ts"
import type { Program } from "../src/flags/Program.ts"
import { apiserverProgram } from "../src/programs/apiserver.ts"
import { cloudControllerManagerProgram } from "../src/programs/cloudControllerManager.ts"
import { controllerManagerProgram, liveControllers } from "../src/programs/controllerManager.ts"
import { electionSettings } from "../src/programs/electionConfig.ts"
import { componentPages } from "../src/serving/pages.ts"
import { makeQueueMeter } from "../src/serving/queueMetrics.ts"
import { makeTestFleet } from "./testFleet.ts"

const parse = (program: Program, ...args: ReadonlyArray<string>) => readFlags(program, args)
const refusalOf = (program: Program, ...args: ReadonlyArray<string>) => {
  const parsed = parse(program, ...args)
  return Result.isFailure(parsed) ? parsed.failure.message : assert.fail("accepted")
}
const flagValue = (program: Program, name: string, ...args: ReadonlyArray<string>) => {
  const parsed = parse(program, ...args)
  return Result.isSuccess(parsed) ? parsed.success.values[name] : assert.fail(parsed.failure.message)
}

const toolProgram: Program = {
  name: "tool",
  about: "",
  flags: { controllers: controllersFlag(managerControllers), "feature-gates": gatesFlag }
}
const chosenControllers = (...args: ReadonlyArray<string>) =>
  flagValue(toolProgram, "controllers", ...args) as ReadonlyArray<string>

describe("--controllers", () => {
  const runs = (name: string, ...args: ReadonlyArray<string>) => isEnabled(chosenControllers(...args), name)

  it("runs all but those that are off by default", () => {
    assert.isTrue(runs("node-lifecycle-controller"))
    assert.isFalse(runs("token-cleaner-controller"))
    assert.isTrue(runs("token-cleaner-controller", "--controllers=*,tokencleaner"))
  })

  it("takes away, by the names of old too", () => {
    const args = ["--controllers=*,-podgc,-taint-eviction-controller"]
    assert.isFalse(runs("pod-garbage-collector-controller", ...args))
    assert.isFalse(runs("taint-eviction-controller", ...args))
    assert.isTrue(runs("node-lifecycle-controller", ...args))
  })

  it("runs nothing else without a star, and goes by the first mention", () => {
    const args = ["--controllers=nodelifecycle", "--controllers=-nodelifecycle"]
    assert.deepStrictEqual(chosenControllers(...args), ["node-lifecycle-controller", "-node-lifecycle-controller"])
    assert.isTrue(runs("node-lifecycle-controller", ...args))
    assert.isFalse(runs("pod-garbage-collector-controller", ...args))
  })

  it("adds a second list to a first that is just the star", () => {
    assert.deepStrictEqual(chosenControllers("--controllers=*", "--controllers=-podgc"), [
      "*",
      "-pod-garbage-collector-controller"
    ])
  })

  it("refuses names that nobody has", () => {
    assert.include(
      refusalOf(toolProgram, "--controllers=*,-nodelifecicle"),
      '"--controllers" flag: "nodelifecicle" is not in the list of known controllers; did you mean "nodelifecycle"?'
    )
  })

  it("knows those that are not here", () => {
    assert.deepStrictEqual(
      missingControllers(chosenControllers("--controllers=*,storage-version-gc,-ttl,podgc"), managerControllers),
      ["storageversion-garbage-collector-controller"]
    )
  })

  it("has each name and alias once", () => {
    const names = managerControllers.flatMap(({ aliases, name }) => [name, ...aliases])
    assert.strictEqual(new Set(names).size, names.length)
  })
})

describe("--feature-gates", () => {
  it("reads names with true or false", () => {
    assert.deepStrictEqual(
      flagValue(toolProgram, "feature-gates", "--feature-gates=A=true,B=0", "--feature-gates=B=1"),
      {
        A: true,
        B: true
      }
    )
  })

  it("refuses others in upstream's words", () => {
    assert.include(refusalOf(toolProgram, "--feature-gates=A"), "missing bool value for A")
    assert.include(
      refusalOf(toolProgram, "--feature-gates=A=maybe"),
      'invalid value of A=maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax'
    )
  })

  it.effect("goes by the release, and takes gates that nothing here asks for", () =>
    Effect.gen(function* () {
      const gate = "ControllerManagerReleaseLeaderElectionLockOnExit"
      assert.isFalse((yield* gatesOf(releases["1.36"], {}))[gate])
      assert.isTrue((yield* gatesOf(releases["1.36"], { [gate]: true, JobManagedBy: true }))[gate])
      const unknown = yield* Effect.flip(gatesOf(releases["1.36"], { WatchFromMars: true }))
      assert.include(unknown.message, "unrecognized feature gate: WatchFromMars")
      const { message } = yield* Effect.flip(gatesOf(releases["1.35"], { [gate]: true }))
      assert.include(message, `unrecognized feature gate: ${gate}`)
    })
  )
})

describe("the managers' command lines", () => {
  it("take only Leases as locks", () => {
    for (const program of [controllerManagerProgram, cloudControllerManagerProgram] as ReadonlyArray<Program>) {
      assert.include(
        refusalOf(program, "--leader-elect-resource-lock=endpoints"),
        'resourceLock value must be "leases"'
      )
      assert.strictEqual(
        flagValue(program, "leader-elect-resource-lock", "--leader-elect-resource-lock=leases"),
        "leases"
      )
    }
  })

  it("elect by Leases of their own", () => {
    const name = "leader-elect-resource-name"
    assert.strictEqual(flagValue(controllerManagerProgram, name), "kube-controller-manager")
    assert.strictEqual(flagValue(cloudControllerManagerProgram, name), "cloud-controller-manager")
  })

  it("name each flag once: what has an effect is not called without one", () => {
    for (const program of [controllerManagerProgram, cloudControllerManagerProgram] as ReadonlyArray<Program>) {
      const names = [...Object.keys(program.flags), ...(program.ignored ?? [])]
      assert.deepStrictEqual(
        names.filter((flagName, index) => names.indexOf(flagName) !== index),
        []
      )
    }
  })
})

describe("what files say of leader election", () => {
  const flagsOf = (...args: ReadonlyArray<string>) => {
    const parsed = readFlags(controllerManagerProgram, args)
    return Result.isSuccess(parsed) ? parsed.success : assert.fail(parsed.failure.message)
  }

  it("counts where flags say nothing", () => {
    const { given, values } = flagsOf("--leader-elect-lease-duration=20s")
    const said = { leaderElect: false, leaseDurationMs: 30_000, resourceName: "mine" }
    assert.deepStrictEqual(Result.getOrThrow(electionSettings("cm.yaml", said, values, given)), {
      leaderElect: false,
      leaseDurationMs: 20_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2000,
      resourceLock: "leases",
      resourceName: "mine",
      resourceNamespace: "kube-system"
    })
  })

  it("has no other lock than a Lease", () => {
    const { given, values } = flagsOf()
    const read = electionSettings("cm.yaml", { resourceLock: "endpoints" }, values, given)
    assert.include(Result.isFailure(read) ? read.failure.message : "", 'resourceLock value must be "leases"')
  })
})

describe("what a manager serves", () => {
  it("tells its configuration, its flags and its state", () => {
    const flags = { grace: flag.duration(1000, ""), zones: flag.texts(""), qps: flag.number(0, "") }
    let now = Date.UTC(2026, 0, 1, 2, 3, 4)
    const pages = componentPages({
      program: { name: "tool", about: "", flags },
      values: { grace: 90_000, zones: ["a", "b"], qps: 0 },
      release: releases["1.36"],
      now: () => now,
      configName: "tool.config",
      settings: {
        qps: setting(numberValue(), { flag: "qps", path: "clientConnection.qps" }),
        graceMs: setting(durationValue, { path: "nodes.grace" }),
        nothing: setting(textValue, { path: "nodes.nothing" })
      },
      inEffect: { qps: 20, graceMs: 5000 }
    })
    now += 3_725_000
    const body = (path: string) => pages[path]?.().body ?? assert.fail(path)
    assert.deepStrictEqual(JSON.parse(body("/configz")), {
      "tool.config": { ClientConnection: { QPS: 20 }, Nodes: { Grace: "5s" } }
    })
    assert.include(body("/flagz"), "\ngrace=1m30s\nqps=20\nzones=[a,b]\n")
    assert.include(body("/statusz"), "\ntool statusz\nWarning: ")
    assert.include(body("/statusz"), "\nStarted: Thu Jan  1 02:03:04 UTC 2026\nUp: 1 hr 02 min 05 sec\n")
  })

  it.effect("counts its queues", () =>
    Effect.gen(function* () {
      const time = makeVirtualTime(0)
      const meter = makeQueueMeter(yield* Effect.context<never>(), time.timers.now)
      const queue = new WorkQueue<string>(time.timers, meter.hooks("managers-test"))
      meter.follow("managers-test", queue)
      queue.add("a")
      queue.add("b")
      time.runUntil(2000)
      queue.take()
      time.runUntil(5000)
      meter.collect()
      const text = yield* Effect.map(Effect.context<never>(), (context) => metricsText(context))
      const value = (name: string) =>
        text
          .split("\n")
          .find((line) => line.startsWith(`workqueue_${name}{name="managers-test"}`))
          ?.split(" ")
          .at(-1)
      assert.strictEqual(value("depth"), "1")
      assert.strictEqual(value("adds_total"), "2")
      assert.strictEqual(value("queue_duration_seconds_sum"), "2")
      assert.strictEqual(value("longest_running_processor_seconds"), "3")
      assert.strictEqual(value("unfinished_work_seconds"), "3")
    })
  )
})

describe("kube-apiserver's plugins", () => {
  it("are chosen by name, and refused in upstream's words", () => {
    const refused = refusalOf(apiserverProgram, "--disable-admission-plugins=DefaultTolerationSecond")
    assert.include(refused, 'disable-admission-plugins plugin "DefaultTolerationSecond" is unknown; did you mean')
    assert.deepStrictEqual(checkPlugins(["NodeRestriction"], ["DefaultTolerationSeconds"]), { warnings: [] })
    assert.deepStrictEqual(checkPlugins(["PodNodeSelector"], []).warnings, [
      "the admission plugin PodNodeSelector is not here, and admits everything"
    ])
    assert.strictEqual(
      checkPlugins(["Priority", "NodeRestriction"], ["NodeRestriction"]).problem,
      "[NodeRestriction] in enable-admission-plugins and disable-admission-plugins overlapped"
    )
  })

  it("names each flag once", () => {
    const names = [...Object.keys(apiserverProgram.flags), ...apiserverProgram.ignored]
    assert.deepStrictEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      []
    )
  })
})

describe("a controller manager that is told which controllers to run", () => {
  const reasonsWith = (...args: ReadonlyArray<string>): ReadonlyArray<string | undefined> => {
    const testFleet = makeTestFleet([])
    const running = chosenControllers(...args)
    const layer = liveControllers(
      { release: releases["1.36"], settings: { controllerManager: {}, scheduler: {}, placing: {} } },
      { layer: () => Layer.succeed(Cluster, testFleet.admin) },
      { isEnabled: (name) => isEnabled(running, name) }
    ).pipe(Layer.provide(Layer.succeed(Timers, testFleet.timers)))
    const scope = testFleet.run(Scope.make())
    testFleet.run(Layer.buildWithScope(layer, scope))
    testFleet.run(testFleet.admin.create("Node", { apiVersion: "v1", kind: "Node", metadata: { name: "n" } }))
    testFleet.pass(30)
    const reasons = testFleet.run(testFleet.admin.list("Event")).items.map(({ reason }) => reason)
    testFleet.run(Scope.close(scope, Exit.void))
    testFleet.close()
    return reasons
  }

  it("limits their requests by its flags, and those of some to a multiple", () => {
    const limits = new Map<string, string>()
    const { admin, close } = makeTestFleet([])
    liveControllers(
      { release: releases["1.36"], settings: { controllerManager: { qps: 3, burst: 5 }, scheduler: {}, placing: {} } },
      {
        layer: (name, { burst, qps }) => {
          limits.set(name, `${qps} ${burst}`)
          return Layer.succeed(Cluster, admin)
        }
      }
    )
    close()
    // Upstream: the config of the clients in cmd/kube-controller-manager/app/core.go.
    assert.strictEqual(limits.get("namespace-controller"), "60 500")
    assert.strictEqual(limits.get("generic-garbage-collector"), "6 5")
    assert.strictEqual(limits.get("service-account-controller"), "3 5")
    assert.strictEqual(limits.get("node-lifecycle-controller"), "3 5")
  })

  it("lets the others rest", () => {
    assert.include(reasonsWith("--controllers=*"), "RegisteredNode")
    assert.deepStrictEqual(reasonsWith("--controllers=*,-nodelifecycle"), [])
    assert.deepStrictEqual(reasonsWith("--controllers=podgc"), [])
  })
})
