import { assert, describe, it } from "@effect/vitest"
import { type Container, defaultRelease, featureGatesOf, type Pod } from "@rollcall/api"
import { cpuStateFile } from "../../src/cpu/cpuCheckpoint.ts"
import { type CpuManager, makeResourceMetrics } from "../../src/index.ts"
import { maskOf } from "../../src/rules.ts"
import { allocateAll, container, cpuManager, cpus, memoryFiles, podOf, sidecar } from "./pods.ts"

const gates = { ...featureGatesOf(defaultRelease), PodLevelResourceManagers: true }

const wholePod = (
  uid: string,
  cpu: string,
  containers: ReadonlyArray<Container>,
  initContainers: ReadonlyArray<Container> = []
): Pod => {
  const pod = podOf(uid, containers, initContainers)
  const amounts = { cpu, memory: "4Gi" }
  return { ...pod, spec: { ...pod.spec, resources: { requests: amounts, limits: amounts } } }
}

const sharingContainer: Container = { name: "sharer" }
const cpusOwnedBy = (manager: CpuManager, uid: string, name: string): string => manager.cpusOf(uid, name).toString()

describe("a pod with resources of its own", () => {
  it("gets no exclusive CPUs without the gate", () => {
    const metrics = makeResourceMetrics()
    const manager = cpuManager({ metrics })
    const pod = wholePod("a", "4", [container("c", "2"), sharingContainer])
    assert.isNull(manager.getPodTopologyHints(pod))
    assert.isNull(manager.getTopologyHints(pod, container("c", "2")))
    assert.isUndefined(allocateAll(manager, pod))
    assert.strictEqual(manager.state().containers.size, 0)
    assert.strictEqual(metrics.value("kubelet_cpu_manager_pinning_requests_total"), 0)
  })

  it("gets its CPUs in one allocation, which its containers divide", () => {
    const affinity = { getAffinity: () => ({ mask: maskOf([1]), preferred: true }) }
    const manager = cpuManager({ gates, affinity })
    const pod = wholePod(
      "a",
      "8",
      [container("main", "4"), sharingContainer],
      [container("init", "6"), sidecar("side", "2"), { name: "late" }]
    )
    assert.isUndefined(manager.allocatePod?.(pod))
    assert.strictEqual(manager.state().pods.get("a")?.toString(), "6-9,18-21")
    assert.strictEqual(cpusOwnedBy(manager, "a", "init"), "6-8,18-20")
    assert.strictEqual(cpusOwnedBy(manager, "a", "side"), "6,18")
    assert.strictEqual(cpusOwnedBy(manager, "a", "late"), "7-9,19-21")
    assert.strictEqual(cpusOwnedBy(manager, "a", "main"), "7-8,19-20")
    assert.strictEqual(cpusOwnedBy(manager, "a", "sharer"), "9,21")
    assert.isTrue(manager.state().shared.equals(cpus("0-23").difference(cpus("6-9,18-21"))))
  })

  it("keeps them until its last container is removed, also over a restart", () => {
    const checkpoint = memoryFiles()
    const first = cpuManager({ gates, checkpoint })
    const pod = wholePod("a", "4", [container("c", "2"), sharingContainer])
    assert.isUndefined(first.allocatePod?.(pod))
    const second = cpuManager({ gates, checkpoint })
    const hints = second.getPodTopologyHints(pod)?.cpu ?? []
    assert.isTrue(hints[0]?.preferred)
    assert.isUndefined(second.allocatePod?.(pod))
    assert.deepStrictEqual(second.state(), first.state())
    second.removeStale(new Set())
    assert.strictEqual(second.state().shared.toString(), "0-23")
    assert.notInclude(checkpoint.texts.get(cpuStateFile) ?? "", "entries")
  })

  it("is refused when nothing would be left to share", () => {
    const complaints: ReadonlyArray<readonly [pod: Pod, message: string]> = [
      [
        wholePod("a", "2", [container("c", "2"), sharingContainer]),
        "pod rejected, sum of exclusive container cpu requests equals pod budget, leaving no cpus for shared containers"
      ],
      [
        wholePod("a", "4", [container("c", "2")], [sidecar("side", "2"), container("init", "3")]),
        "pod rejected, largest exclusive init container requests 3 cpus, but only 2 available"
      ],
      [
        wholePod("a", "2", [{ name: "c" }], [sidecar("side", "2"), sharingContainer]),
        "pod rejected, pod has shared init containers but no cpus available for them"
      ]
    ]
    for (const [pod, message] of complaints) {
      const metrics = makeResourceMetrics()
      const manager = cpuManager({ gates, metrics })
      assert.deepStrictEqual(manager.getPodTopologyHints(pod), { cpu: [] })
      assert.deepStrictEqual(manager.allocatePod?.(pod), { kind: "EmptyPodSharedPoolError", message })
      assert.strictEqual(metrics.value("kubelet_cpu_manager_pinning_errors_total"), 1)
      assert.strictEqual(manager.state().shared.size, 24)
    }
  })
})
