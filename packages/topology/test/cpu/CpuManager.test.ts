import { assert, describe, it } from "@effect/vitest"
import { defaultRelease, featureGatesOf } from "@rollcall/api"
import * as Result from "effect/Result"
import type { CpuManagerOptions } from "../../src/cpu/CpuManager.ts"
import { cpuStateFile } from "../../src/cpu/cpuCheckpoint.ts"
import { makeCpuManager } from "../../src/cpu/makeCpuManager.ts"
import { makeResourceMetrics } from "../../src/index.ts"
import { maskOf } from "../../src/rules.ts"
import { machineOf, singleSocket } from "./machines.ts"
import { allocateAll, container, cpuManager, cpuOptions, cpus, memoryFiles, podOf, sidecar } from "./pods.ts"

const refusal = (more: Partial<CpuManagerOptions>): string =>
  Result.getOrThrow(Result.flip(makeCpuManager(cpuOptions(more))))

const alphaGates = { ...featureGatesOf(defaultRelease), CPUManagerPolicyAlphaOptions: true }

describe("a CPU manager does not start", () => {
  const cases: ReadonlyArray<readonly [more: Partial<CpuManagerOptions>, complaint: string]> = [
    [{ policy: "dynamic" }, 'unknown policy: "dynamic"'],
    [
      { policy: "none", policyOptions: { "full-pcpus-only": "true", "align-by-socket": "true" } },
      "new none policy error: None policy: received unsupported options=map[align-by-socket:true full-pcpus-only:true]"
    ],
    [{ reservedCpu: undefined }, "[cpumanager] unable to determine reserved CPU resources for static policy"],
    [
      { reservedCpu: "0" },
      "[cpumanager] the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero"
    ],
    [
      { reservedCpu: "25" },
      "new static policy error: [cpumanager] unable to reserve the required amount of CPUs (size of  did not equal 25)"
    ],
    [
      { reservedSystemCpus: cpus("0,99") },
      "new static policy error: [cpumanager] unable to build the reserved physical CPUs from the reserved set: unknown CPU ID: 99"
    ],
    [
      { policyOptions: { "full-pcpus-only": "yes" } },
      'new static policy error: bad value for option "full-pcpus-only": strconv.ParseBool: parsing "yes": invalid syntax'
    ],
    [
      { policyOptions: { "align-by-socket": "true" }, gates: alphaGates, topologyManagerPolicy: "single-numa-node" },
      "new static policy error: Topolgy manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option"
    ],
    [
      {
        policyOptions: { "align-by-socket": "true" },
        gates: alphaGates,
        machine: {
          ...machineOf({ sockets: 2, coresPerNode: 2 }),
          cpus: machineOf({ sockets: 2, coresPerNode: 2 }).cpus.map((cpu) => ({ ...cpu, numaNode: 0 }))
        }
      },
      "new static policy error: Align by socket is not compatible with hardware where number of sockets are more than number of NUMA"
    ],
    [
      { checkpoint: memoryFiles(new Map([[cpuStateFile, '{"policyName":"none","defaultCpuSet":"","checksum":1}']])) },
      'could not restore state from checkpoint: checkpoint is corrupted, please drain this node and delete the CPU manager checkpoint file "/var/lib/kubelet/cpu_manager_state" before restarting Kubelet'
    ],
    [
      { checkpoint: memoryFiles(new Map([[cpuStateFile, '{"policyName":"static","defaultCpuSet":"0-22"}']])) },
      'current set of available CPUs "0-23" doesn\'t match with CPUs in state "0-22"'
    ]
  ]
  for (const [more, complaint] of cases) it(complaint, () => assert.strictEqual(refusal(more), complaint))
})

describe("policy none", () => {
  it("allocates no exclusive CPUs, and writes a checkpoint so that a change of policy is detected", () => {
    const checkpoint = memoryFiles()
    const manager = cpuManager({ policy: "none", reservedCpu: undefined, checkpoint })
    const pod = podOf("a", [container("c", "2")])
    assert.isUndefined(allocateAll(manager, pod))
    assert.isNull(manager.getPodTopologyHints(pod))
    assert.isTrue(manager.cpusOf("a", "c").isEmpty)
    assert.strictEqual(
      checkpoint.texts.get(cpuStateFile),
      '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}'
    )
    assert.include(refusal({ checkpoint }), 'configured policy "static" differs from state checkpoint policy "none"')
  })
})

describe("policy static", () => {
  it("reserves the configured number of CPUs, rounded up, or the named ones", () => {
    assert.strictEqual(cpuManager({ reservedCpu: "1500m" }).allocatable.toString(), "1-11,13-23")
    const named = { reservedSystemCpus: cpus("5,17"), reservedCpu: "9" }
    assert.strictEqual(cpuManager(named).allocatable.toString(), "0-4,6-16,18-23")
  })

  it("takes CPUs from the shared pool, on the nodes of the hint first", () => {
    const manager = cpuManager({ affinity: { getAffinity: () => ({ mask: maskOf([1]), preferred: true }) } })
    assert.isUndefined(allocateAll(manager, podOf("a", [container("c", "2"), container("shared", "500m")])))
    assert.strictEqual(manager.cpusOf("a", "c").toString(), "6,18")
    assert.strictEqual(manager.cpusOf("a", "shared").toString(), "0-5,7-17,19-23")
    assert.isUndefined(allocateAll(manager, podOf("b", [container("c", "14")])))
    assert.strictEqual(manager.cpusOf("b", "c").toString(), "1-2,7-11,13-14,19-23")
  })

  it("refuses requests above the free CPUs, and keeps its assignments", () => {
    const manager = cpuManager()
    allocateAll(manager, podOf("a", [container("c", "20")]))
    const before = manager.state()
    assert.deepStrictEqual(allocateAll(manager, podOf("b", [container("c", "4")])), {
      kind: "Other",
      message: "not enough cpus available to satisfy request: requested=4, available=3"
    })
    assert.strictEqual(manager.state(), before)
  })

  it("with full-pcpus-only refuses broken cores, also those of reserved CPUs", () => {
    const manager = cpuManager({ policyOptions: { "full-pcpus-only": "true" }, machine: singleSocket })
    assert.deepStrictEqual(allocateAll(manager, podOf("a", [container("c", "3")])), {
      kind: "SMTAlignmentError",
      message: "SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2"
    })
    assert.isUndefined(allocateAll(manager, podOf("a", [container("c", "6")])))
    // One CPU is free beside the reserved one, but on its core.
    assert.deepStrictEqual(allocateAll(manager, podOf("b", [container("c", "2")])), {
      kind: "SMTAlignmentError",
      message:
        "SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 0, requested CPUs = 2, CPUs per core = 2"
    })
  })

  it("reuses CPUs of a pod's completed init containers, but not those of sidecars", () => {
    const manager = cpuManager()
    const pod = podOf("a", [container("main", "4")], [container("init", "6"), sidecar("side", "2")])
    assert.isUndefined(allocateAll(manager, pod))
    const [init, side, main] = ["init", "side", "main"].map((name) => manager.cpusOf("a", name))
    assert.isTrue(side?.isSubsetOf(init ?? cpus("")))
    assert.isTrue(main?.isSubsetOf(init ?? cpus("")))
    assert.isTrue(main?.intersection(side ?? cpus("")).isEmpty)
    assert.strictEqual(manager.state().shared.size, 24 - 6)
    // Another pod may not have them.
    allocateAll(manager, podOf("b", [container("c", "2")]))
    assert.isTrue(manager.cpusOf("b", "c").intersection(init ?? cpus("")).isEmpty)
  })

  it("restores its state after a restart", () => {
    const checkpoint = memoryFiles()
    const pod = podOf("a", [container("c", "4")], [container("init", "2")])
    const first = cpuManager({ checkpoint })
    allocateAll(first, pod)
    const second = cpuManager({ checkpoint })
    assert.isUndefined(allocateAll(second, pod))
    assert.deepStrictEqual(second.state(), first.state())
  })

  it("starts again with strictly reserved CPUs, which are not in the shared pool", () => {
    const checkpoint = memoryFiles()
    const options = { checkpoint, policyOptions: { "strict-cpu-reservation": "true" } }
    allocateAll(cpuManager(options), podOf("a", [container("c", "2")]))
    const again = cpuManager(options)
    assert.strictEqual(again.state().shared.toString(), "2-12,14-23")
    assert.strictEqual(refusal({ checkpoint }), 'not all reserved cpus: "0" are present in defaultCpuSet: "2-12,14-23"')
  })

  it("does not start again when strict reservation leaves the shared pool empty", () => {
    const checkpoint = memoryFiles()
    const options = { checkpoint, policyOptions: { "strict-cpu-reservation": "true" }, reservedCpu: "2" }
    assert.isUndefined(allocateAll(cpuManager(options), podOf("a", [container("c", "22")])))
    assert.strictEqual(refusal(options), "default cpuset cannot be empty")
  })

  it("returns CPUs of inactive pods to the shared pool", () => {
    const checkpoint = memoryFiles()
    const manager = cpuManager({ checkpoint })
    const fresh = checkpoint.texts.get(cpuStateFile)
    for (const uid of ["a", "b"]) allocateAll(manager, podOf(uid, [container("c", "4")], [container("init", "2")]))
    manager.removeStale(new Set(["b"]))
    assert.deepStrictEqual([...manager.state().containers.keys()], ["b"])
    assert.strictEqual(manager.state().shared.size, 20)
    manager.removeStale(new Set())
    assert.strictEqual(checkpoint.texts.get(cpuStateFile), fresh)
  })

  it("counts what it does", () => {
    const metrics = makeResourceMetrics()
    const manager = cpuManager({ metrics, policyOptions: { "full-pcpus-only": "true" } })
    allocateAll(manager, podOf("a", [container("c", "4"), container("shared", "1500m")]))
    allocateAll(manager, podOf("b", [container("c", "3")]))
    const aligned = { scope: "container", boundary: "physical_cpu" }
    assert.strictEqual(metrics.value("kubelet_cpu_manager_pinning_requests_total"), 2)
    assert.strictEqual(metrics.value("kubelet_cpu_manager_pinning_errors_total"), 1)
    assert.strictEqual(metrics.value("kubelet_cpu_manager_shared_pool_size_millicores"), 19_000)
    assert.strictEqual(metrics.value("kubelet_cpu_manager_exclusive_cpu_allocation_count"), 4)
    assert.strictEqual(metrics.value("kubelet_cpu_manager_allocation_per_numa", { numa_node: "0" }), 4)
    assert.strictEqual(metrics.value("kubelet_container_aligned_compute_resources_count", aligned), 1)
    assert.strictEqual(metrics.value("kubelet_container_aligned_compute_resources_failure_count", aligned), 1)
  })
})
