import { assert, describe, it } from "@effect/vitest"
import { type Container, defaultRelease, featureGatesOf, type Pod } from "@rollcall/api"
import * as Result from "effect/Result"
import { partitionPodCpus, podShareFault } from "../../src/cpu/podCpus.ts"
import { assignable } from "../../src/cpu/StaticPolicy.ts"
import { CpuSet, type MachineTopology } from "../../src/index.ts"
import {
  chooseCpus,
  cpuTopologyOf,
  makeStaticPolicy,
  maskOf,
  noCpuPolicyOptions,
  type StaticPolicy,
  smtAlignmentFault
} from "../../src/rules.ts"
import { dualSocket, fourNodes, singleSocket } from "./machines.ts"
import { container, cpus, podOf, sidecar } from "./pods.ts"

const gates = { ...featureGatesOf(defaultRelease), PodLevelResourceManagers: true }

const policyOf = (
  machine: MachineTopology,
  options: Partial<typeof noCpuPolicyOptions> = {},
  count = 1,
  named = CpuSet.empty
): StaticPolicy =>
  Result.getOrThrow(makeStaticPolicy(cpuTopologyOf(machine), { ...noCpuPolicyOptions, ...options }, count, named))

describe("the CPUs of the system", () => {
  it("are the lowest, or those that are named; their siblings are no whole cores", () => {
    const picked = policyOf(dualSocket, {}, 3)
    assert.deepStrictEqual([`${picked.reserved}`, `${picked.reservedPhysical}`], ["0-1,12", "0-1,12-13"])
    const named = policyOf(dualSocket, {}, 2, cpus("5-6"))
    assert.deepStrictEqual([`${named.reserved}`, `${named.reservedPhysical}`], ["5-6", "5-6,17-18"])
    assert.strictEqual(`${assignable(named, cpus("4-7"))}`, "4,7")
  })

  it("are of the requested number, and on the machine", () => {
    const refused = (count: number, named: CpuSet) =>
      Result.merge(makeStaticPolicy(cpuTopologyOf(singleSocket), noCpuPolicyOptions, count, named))
    assert.strictEqual(
      refused(3, cpus("0-1")),
      "[cpumanager] unable to reserve the required amount of CPUs (size of 0-1 did not equal 3)"
    )
    assert.strictEqual(
      refused(2, cpus("7-8")),
      "[cpumanager] unable to build the reserved physical CPUs from the reserved set: unknown CPU ID: 8"
    )
  })
})

describe("full-pcpus-only", () => {
  const full = policyOf(singleSocket, { fullPcpusOnly: true })
  const faultOf = (shared: string, wanted: number, policy = full) =>
    smtAlignmentFault(policy, cpus(shared), wanted)?.message

  it("gives only whole cores without reserved CPUs", () => {
    assert.isUndefined(faultOf("0-7", 6))
    assert.strictEqual(faultOf("0-7", 3), "SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2")
    assert.strictEqual(
      faultOf("0-7", 8),
      "SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 6, requested CPUs = 8, CPUs per core = 2"
    )
    assert.strictEqual(smtAlignmentFault(full, cpus("0-7"), 3)?.kind, "SMTAlignmentError")
  })

  it("is an option", () => {
    assert.isUndefined(faultOf("0-7", 3, policyOf(singleSocket)))
  })
})

describe("the CPUs that are chosen", () => {
  const chosen = (policy: StaticPolicy, shared: string, wanted: number, nodes?: ReadonlyArray<number>, reusable = "") =>
    Result.match(
      chooseCpus(policy, cpus(shared), wanted, nodes === undefined ? undefined : maskOf(nodes), cpus(reusable)),
      { onSuccess: String, onFailure: ({ message }) => message }
    )
  const policy = policyOf(dualSocket)

  it("are on the hint's nodes first, then on others, and are never reserved", () => {
    assert.strictEqual(chosen(policy, "0-23", 2), "1,13")
    assert.strictEqual(chosen(policy, "0-23", 2, [1]), "6,18")
    assert.strictEqual(chosen(policy, "0-6,12-18", 4, [1]), "1,6,13,18")
    assert.strictEqual(chosen(policy, "0-23", 12, [0]), "1-6,12-17")
  })

  it("may be reused", () => {
    assert.strictEqual(chosen(policy, "0,2-12,14-23", 2, [0], "1,13"), "1,13")
    assert.strictEqual(chosen(policy, "0", 2, undefined, "1,13"), "1,13")
  })

  it("are refused where there are too few", () => {
    const message = (wanted: number, available: number) =>
      `not enough cpus available to satisfy request: requested=${wanted}, available=${available}`
    assert.strictEqual(chosen(policy, "0-2", 3), message(3, 2))
    // Two of node 0 are chosen first.
    assert.strictEqual(chosen(policy, "0-2", 3, [0]), message(1, 0))
  })

  it("lie on the hint's sockets with align-by-socket", () => {
    // Node 1 is on the socket of node 0.
    const shared = "0-3,4-6,8-15,20-22"
    assert.strictEqual(chosen(policyOf(fourNodes, { alignBySocket: true }), shared, 4, [0]), "4-5,20-21")
    assert.strictEqual(chosen(policyOf(fourNodes), shared, 4, [0]), "1-4")
    // The other socket has less left, and would be filled first.
    const other = "0,4-9,20-25"
    assert.strictEqual(chosen(policyOf(fourNodes, { alignBySocket: true }), other, 4, [0]), "4-5,20-21")
    assert.strictEqual(chosen(policyOf(fourNodes), other, 4, [0]), "8-9,24-25")
  })
})

describe("a pod that is managed as a whole", () => {
  const whole = (
    cpu: string,
    containers: ReadonlyArray<Container>,
    initContainers: ReadonlyArray<Container> = []
  ): Pod => {
    const pod = podOf("a", containers, initContainers)
    const amounts = { cpu, memory: "4Gi" }
    return { ...pod, spec: { ...pod.spec, resources: { requests: amounts, limits: amounts } } }
  }
  const sharer = (name: string): Container => ({ name })
  const sharingSidecar: Container = { name: "t", restartPolicy: "Always" }

  it("leaves CPUs for containers on the shared pool", () => {
    const fault = (...given: Parameters<typeof whole>) => podShareFault(whole(...given), gates)
    const spent =
      "pod rejected, sum of exclusive container cpu requests equals pod budget, leaving no cpus for shared containers"
    assert.isUndefined(fault("4", [container("a", "4")]))
    assert.isUndefined(fault("4", [container("a", "3"), sharer("b")]))
    assert.strictEqual(fault("4", [container("a", "3"), container("c", "1"), sharer("b")]), spent)
    assert.strictEqual(fault("4", [sharer("b"), container("a", "4")]), spent)
    assert.strictEqual(fault("4", [container("a", "2"), sharer("b")], [sidecar("s", "2")]), spent)
    assert.strictEqual(fault("4", [container("a", "4")], [sharingSidecar]), spent)
    assert.isUndefined(fault("4", [container("a", "2")], [sidecar("s", "2")]))
  })

  it("has enough CPUs for each init container beside the sidecars before it", () => {
    const fault = (...given: Parameters<typeof whole>) => podShareFault(whole(...given), gates)
    const main = [container("a", "1")]
    assert.isUndefined(fault("4", main, [sidecar("s", "1"), container("i", "3")]))
    assert.isUndefined(fault("4", main, [container("i", "4"), sidecar("s", "1")]))
    assert.strictEqual(
      fault("4", main, [sidecar("s", "1"), container("i", "4")]),
      "pod rejected, largest exclusive init container requests 4 cpus, but only 3 available"
    )
    assert.isUndefined(fault("4", main, [sidecar("s", "3"), sharer("i")]))
    assert.strictEqual(
      fault("4", main, [sidecar("s", "4"), sharer("i")]),
      "pod rejected, pod has shared init containers but no cpus available for them"
    )
    assert.strictEqual(
      fault("4", main, [sidecar("s", "5"), sharer("i")]),
      "pod rejected, pod has shared init containers but no cpus available for them"
    )
  })

  it("is divided among its containers", () => {
    const divided = (pod: Pod, own: string) =>
      Result.match(partitionPodCpus(policyOf(dualSocket), pod, cpus(own), gates), {
        onSuccess: (parts) => Object.fromEntries([...parts].map(([name, part]) => [name, `${part}`])),
        onFailure: ({ message }) => ({ message })
      })
    const init = [sharer("i"), container("j", "4"), sidecar("s", "2"), sharingSidecar, sharer("k")]
    assert.deepStrictEqual(divided(whole("6", [container("a", "2"), sharer("b")], init), "1-3,13-15"), {
      i: "1-3,13-15",
      j: "1-2,13-14",
      s: "1,13",
      k: "2-3,14-15",
      a: "2,14",
      t: "3,15",
      b: "3,15"
    })
    const main = whole("4", [container("a", "2"), container("b", "2")])
    assert.deepStrictEqual(divided(main, "1-2,13-14"), { a: "1,13", b: "2,14" })
    const tooFew = { message: "not enough cpus available to satisfy request: requested=2, available=1" }
    assert.deepStrictEqual(divided(whole("4", [container("a", "2")]), "1"), tooFew)
    assert.deepStrictEqual(divided(whole("4", [sharer("a")], [container("i", "2")]), "1"), tooFew)
  })
})
