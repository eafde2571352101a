import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { ScenarioDocument } from "@rollcall/simulator"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { Host, type HostShape, runComponent, runKubectl } from "../src/index.ts"
import { scenarioFields } from "../src/up/ignoredFields.ts"
import { type LiveScenarioOptions, liveScenario, withScenario } from "../src/up/liveScenario.ts"

const agent = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "agent" },
  spec: { containers: [{ name: "c", image: "x" }] }
}

/** A scenario with a value in every field. */
const scenarioWithEverything = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Scenario",
  metadata: { name: "everything" },
  spec: {
    release: "1.31",
    seed: 7,
    duration: "1m",
    description: "all of it",
    cluster: {
      controlPlane: { replicas: 2 },
      nodes: [{ name: "a", count: 2, zone: "zone-a", staticPods: [agent] }],
      objects: [{ apiVersion: "v1", kind: "Node", metadata: { name: "other" } }]
    },
    config: {
      kubeControllerManager: { generic: { leaderElection: { leaseDuration: "20s" } } },
      kubeApiserver: { "default-not-ready-toleration-seconds": 33 },
      scheduler: { percentageOfNodesToScore: 44, leaderElection: { leaseDuration: "20s" } },
      kubelet: { maxPods: 44 },
      cloudProvider: {},
      cloudControllerManager: { nodeStatusUpdateFrequency: "1m" }
    },
    flags: {
      "kube-apiserver": ["--default-unreachable-toleration-seconds=44"],
      "kube-scheduler": ["--leader-elect-lease-duration=30s"],
      kubelet: ["--max-pods=55"]
    },
    // After the end of a rehearsal.
    events: [{ at: "5m", do: "cordon", nodes: { zone: "zone-a" } }],
    expect: [{ name: "none", evictions: {}, max: 0 }]
  }
}

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "rollcall-components-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const writeScenarios = (...scenarios: ReadonlyArray<object>) =>
  Effect.map(temporaryFolder, (folder) => {
    const file = join(folder, "s.yaml")
    writeFileSync(file, scenarios.map((one) => JSON.stringify(one)).join("\n---\n"))
    return file
  })

/** Returns the plan and the warnings. */
const loadWithWarnings = (file: string, options: LiveScenarioOptions) => {
  const lines: Array<string> = []
  const logger = Logger.make<unknown, void>(({ message }) => {
    lines.push([message].flat().join(" ").replace(`${file}: `, ""))
  })
  return liveScenario(file, options).pipe(
    Effect.provide(Logger.layer([logger])),
    Effect.map((plan) => ({ plan: plan ?? assert.fail("no plan"), lines }))
  )
}

describe("a scenario that runs live", () => {
  const { spec } = ScenarioDocument.fields
  const components = [
    "kube-controller-manager",
    "kube-apiserver",
    "kube-scheduler",
    "cloud-controller-manager",
    "kubelet"
  ]
  const paths = [
    ...Object.keys(spec.fields).filter((name) => !["cluster", "config", "flags"].includes(name)),
    ...Object.keys(spec.fields.cluster.fields).map((name) => `cluster.${name}`),
    ...Object.keys(spec.fields.config.schema.fields).map((name) => `config.${name}`),
    ...components.map((name) => `flags.${name}`)
  ]
  for (const path of paths) {
    it(`uses spec.${path}, or names it in a warning`, () =>
      assert.isTrue(scenarioFields.some((one) => one.path.join(".") === path)))
  }

  const warnings: ReadonlyArray<readonly [LiveScenarioOptions["reader"], ReadonlyArray<string>]> = [
    [
      "rollcall up",
      [
        "spec.duration",
        "spec.expect",
        "spec.cluster.controlPlane",
        "spec.config.kubeControllerManager.generic.leaderElection",
        "spec.config.scheduler.leaderElection",
        "spec.flags.kube-scheduler[0]: --leader-elect-lease-duration",
        "spec.cluster.objects[0]: Node other is left out"
      ]
    ],
    [
      "rollcall kubelet",
      [
        "spec.duration",
        "spec.expect",
        "spec.cluster.controlPlane",
        "spec.config.kubeControllerManager",
        "spec.config.kubeApiserver",
        "spec.config.scheduler",
        "spec.config.cloudProvider",
        "spec.config.cloudControllerManager",
        "spec.flags.kube-apiserver",
        "spec.flags.kube-scheduler",
        "spec.cluster.objects[0]: Node other is left out"
      ]
    ],
    [
      "rollcall controller-manager",
      [
        "spec.seed",
        "spec.duration",
        "spec.expect",
        "spec.events",
        "spec.cluster.nodes",
        "spec.cluster.objects",
        "spec.cluster.controlPlane",
        "spec.config.kubeControllerManager.generic.leaderElection",
        "spec.config.kubeApiserver",
        "spec.config.scheduler",
        "spec.config.kubelet",
        "spec.config.cloudProvider",
        "spec.config.cloudControllerManager",
        "spec.flags.kube-apiserver",
        "spec.flags.kube-scheduler",
        "spec.flags.kubelet"
      ]
    ]
  ]
  for (const [reader, expected] of warnings) {
    it.effect(`names what has no effect in ${reader}, and nothing else`, () =>
      Effect.gen(function* () {
        const { lines } = yield* loadWithWarnings(yield* writeScenarios(scenarioWithEverything), {
          reader,
          release: ""
        })
        const starts = lines.map((line) => line.replace(/ has no effect in .*|: nodes of a live.*/, ""))
        assert.deepStrictEqual(starts, expected)
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
    )
  }

  it.effect("has the release and the seed of its file, unless the command line overrides them", () =>
    Effect.gen(function* () {
      const file = yield* writeScenarios(scenarioWithEverything)
      const own = yield* loadWithWarnings(file, { reader: "rollcall up", release: "" })
      assert.deepStrictEqual([own.plan.release.name, own.plan.seed], ["1.31", 7])
      const other = yield* loadWithWarnings(file, { reader: "rollcall up", release: "1.36", seed: 9 })
      assert.deepStrictEqual([other.plan.release.name, other.plan.seed], ["1.36", 9])
      const wrong = yield* Effect.flip(liveScenario(file, { reader: "rollcall up", release: "1.3" }))
      assert.include(wrong.message, 'command line: --release: found "1.3", expected one of')
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("is the only one of its file", () =>
    Effect.gen(function* () {
      const file = yield* writeScenarios(scenarioWithEverything, {
        ...scenarioWithEverything,
        metadata: { name: "second" }
      })
      const several = yield* Effect.flip(liveScenario(file, { reader: "rollcall up", release: "" }))
      assert.include(several.message, "holds 2 scenarios (everything, second), expected one")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("has no faults of components that a fleet of kubelets lacks", () =>
    Effect.gen(function* () {
      const events = [{ at: "1m", fault: "controller-restart" }]
      const file = yield* writeScenarios({
        ...scenarioWithEverything,
        spec: { ...scenarioWithEverything.spec, events }
      })
      const refused = yield* Effect.flip(liveScenario(file, { reader: "rollcall kubelet", release: "" }))
      assert.include(refused.message, `${file}: spec.events[0].fault: found "controller-restart", expected a fault of`)
      yield* loadWithWarnings(file, { reader: "rollcall up", release: "" })
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("sets values that the API server's flags do not set", () =>
    Effect.gen(function* () {
      const { plan } = yield* loadWithWarnings(yield* writeScenarios(scenarioWithEverything), {
        reader: "rollcall up",
        release: ""
      })
      const names = ["default-not-ready-toleration-seconds", "default-unreachable-toleration-seconds"] as const
      const flags = { [names[0]]: 300, [names[1]]: 300 } as Parameters<typeof withScenario>[0]
      const valuesOf = (given: ReadonlySet<string>, its: typeof plan | undefined) => {
        const values = withScenario(flags, given, its)
        return names.map((name) => values[name])
      }
      assert.deepStrictEqual(valuesOf(new Set(), plan), [33, 44])
      assert.deepStrictEqual(valuesOf(new Set([names[1]]), plan), [33, 300])
      assert.deepStrictEqual(valuesOf(new Set(), undefined), [300, 300])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

describe("rollcall up --config", () => {
  it.live(
    "has the release, the API server's flags, the kubelet's flags and the static pods of the file",
    () =>
      Effect.gen(function* () {
        const file = yield* writeScenarios(scenarioWithEverything)
        const data = join(yield* temporaryFolder, "data")
        const ready = yield* Deferred.make<void>()
        const output: Array<string> = []
        const host: HostShape = {
          environment: {},
          hostname: "test",
          homeFolder: data,
          temporaryFolder: data,
          wallClockMs: Date.now,
          processId: process.pid,
          print: (line) => {
            if (line.startsWith("export KUBECONFIG")) Deferred.doneUnsafe(ready, Effect.void)
          },
          log: () => undefined,
          output: (text) => void output.push(text),
          error: (text) => void output.push(text),
          stdin: () => Promise.resolve("")
        }
        const refused = yield* runComponent("up", ["--config", file, "--nodes=4"]).pipe(
          Effect.provideService(Host, host),
          Effect.flip
        )
        assert.include(refused.message, "--nodes: the nodes are those of --config")
        const up = runComponent("up", ["--config", file, "--port=0", "--data-dir", data])
        yield* Effect.forkScoped(Effect.provideService(up, Host, host))
        yield* Deferred.await(ready)
        const get = (...args: ReadonlyArray<string>) =>
          Effect.gen(function* () {
            output.length = 0
            yield* runKubectl(["get", ...args, "--kubeconfig", join(data, "admin.conf")]).pipe(
              Effect.provideService(Host, host)
            )
            return output.join("")
          })
        const node = yield* get("node", "a-0", "-o", "yaml")
        assert.include(node, "kubeletVersion: v1.31.")
        assert.include(node, 'pods: "55"')
        while (!(yield* get("pods", "-A", "-o", "name")).includes("pod/agent-a-1")) yield* Effect.sleep(50)
        output.length = 0
        const pod = join(data, "pod.json")
        writeFileSync(pod, JSON.stringify({ ...agent, metadata: { name: "x" } }))
        const apply = () => runKubectl(["apply", "-f", pod, "--kubeconfig", join(data, "admin.conf")])
        while ((yield* Effect.provideService(apply(), Host, host)) !== 0) yield* Effect.sleep(50)
        const seconds = [...(yield* get("pod", "x", "-o", "yaml")).matchAll(/tolerationSeconds: (\d+)/g)].map(
          ([, text]) => text
        )
        assert.deepStrictEqual(seconds, ["33", "44"])
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
    60_000
  )
})
