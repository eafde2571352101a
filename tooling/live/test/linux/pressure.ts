import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert } from "@effect/vitest"
import { releases } from "@rollcall/api"
import { makeEventRecorder } from "@rollcall/cluster"
import { linuxKubelet } from "@rollcall/components/machine"
import { kubeletConfig, PodRuntimes } from "@rollcall/kubelet"
import { makeSystem, type System } from "@rollcall/linux/host"
import { layerWallClock, nextRng, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import { nodeKubeconfig } from "../../src/linux/linuxKubelet.ts"
import { eventually } from "../../src/process/eventually.ts"
import { configOf, connectionTo, temporaryFolder } from "../../src/process/rollcall.ts"
import { conditionOf, LinuxCluster, nodeBecomes, podBecomes, podNamed } from "../LinuxCluster.ts"

const name = "pressed"
const GIB = 1024 * 1024

interface Memory {
  readonly totalKiB: number
  readonly leftKiB: number
}

/** This machine with another memory size and no memory limit by a control group. */
const withMemory = (memory: () => Memory): System => {
  const machine = makeSystem()
  return {
    ...machine,
    read: (path) => {
      if (path === "/proc/meminfo") {
        const { leftKiB, totalKiB } = memory()
        return `MemTotal: ${totalKiB} kB\nAnonPages: ${totalKiB - leftKiB} kB\nSwapTotal: 0 kB`
      }
      return /^\/sys\/fs\/cgroup\/.*memory\.(stat|current|usage_in_bytes)$/.test(path) ? undefined : machine.read(path)
    }
  }
}

/** The kubelet's clock runs faster than the cluster's, because it checks the machine's resources every ten seconds. */
const SPEED = 5

const startKubelet = Effect.fnUntraced(function* (kubeconfig: string, system: System) {
  const folder = yield* temporaryFolder
  const release = releases["1.36"]
  const timers = yield* Timers
  const connection = yield* connectionTo(yield* configOf(nodeKubeconfig(kubeconfig, folder, name)))
  return yield* linuxKubelet({
    name,
    release,
    connection,
    system,
    seed: 1,
    rootDir: folder,
    recorder: makeEventRecorder(connection, timers, yield* nextRng, { component: "kubelet", host: name }),
    config: kubeletConfig(
      {
        failCgroupV1: false,
        nodeStatusUpdateFrequencyMs: 1000,
        nodeLeaseDurationSeconds: 10,
        evictionHard: { "memory.available": "100Mi" },
        evictionPressureTransitionPeriodMs: 5000
      },
      release
    )
  }).pipe(Effect.provide(PodRuntimes.layerModelled()), Effect.provideService(References.MinimumLogLevel, "None"))
})

const taints = Effect.gen(function* () {
  const { cluster } = yield* LinuxCluster
  const { spec } = yield* cluster.get("Node", { name })
  return (spec?.taints ?? []).map(({ effect, key }) => `${key}:${effect}`)
})

const TAINT = "node.kubernetes.io/memory-pressure:NoSchedule"

export const pressure = Effect.gen(function* () {
  const { cluster, kubeconfig } = yield* LinuxCluster
  let memory: Memory = { totalKiB: 8 * GIB, leftKiB: 4 * GIB }
  yield* startKubelet(
    kubeconfig,
    withMemory(() => memory)
  ).pipe(Effect.provide(yield* Layer.build(Layer.mergeAll(NodeServices.layer, layerWallClock({ speed: SPEED })))))
  const node = yield* nodeBecomes(name, "Ready", "True")
  assert.strictEqual(node.status?.capacity?.memory, "8Gi")
  assert.strictEqual(conditionOf(node, "MemoryPressure")?.status, "False")
  yield* cluster.create("Pod", podNamed("best-effort", { nodeName: name }))
  yield* cluster.create("Pod", podNamed("vital", { nodeName: name, priorityClassName: "system-node-critical" }))
  yield* podBecomes("best-effort", "Running")
  yield* podBecomes("vital", "Running")

  memory = { totalKiB: 8 * GIB, leftKiB: 51_199 }
  const pressed = yield* nodeBecomes(name, "MemoryPressure", "True")
  assert.deepInclude(conditionOf(pressed, "MemoryPressure"), {
    reason: "KubeletHasInsufficientMemory",
    message: "kubelet has insufficient memory available"
  })
  yield* eventually("the node is tainted", taints, (found) => found.includes(TAINT))
  const { status } = yield* podBecomes("best-effort", "Failed")
  const message = "The node was low on resource: memory. Threshold quantity: 100Mi, available: 51199Ki. "
  assert.deepInclude(status, { reason: "Evicted", message })
  const disrupted = status?.conditions?.find(({ type }) => type === "DisruptionTarget")
  assert.deepInclude(disrupted, { status: "True", reason: "TerminationByKubelet", message })

  yield* cluster.create("Pod", podNamed("unwelcome", { nodeName: name }))
  const refused = yield* podBecomes("unwelcome", "Failed")
  assert.deepInclude(refused.status, {
    reason: "Evicted",
    message: "Pod was rejected: The node had condition: [MemoryPressure]. "
  })

  // Memory that is added at runtime counts too.
  memory = { totalKiB: 16 * GIB, leftKiB: 12 * GIB }
  yield* nodeBecomes(name, "MemoryPressure", "False")
  yield* eventually("the taint is gone", taints, (found) => !found.includes(TAINT))
  yield* podBecomes("vital", "Running")
  yield* eventually(
    "the new memory is there",
    cluster.get("Node", { name }),
    (now) => now.status?.capacity?.memory === "16Gi" && now.status.allocatable?.memory === "16284Mi"
  )
})
