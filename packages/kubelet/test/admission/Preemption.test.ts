import { featureGatesOf, type Pod, releases } from "@rollcall/api"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { isPreemptable } from "../../src/admission/Preemption.ts"
import { rejectionLabel } from "../../src/admission/RejectionReason.ts"
import { kubeletConfig } from "../../src/index.ts"
import { choosePreempted, type MissingResource } from "../../src/rules.ts"
import { guaranteedPod, makeAdmission, nodeOf, podOf } from "./gate.ts"

const gates = featureGatesOf(releases["1.36"])
const criticalPod = (name: string, requests = {}, priority = 2_000_000_000): Pod =>
  podOf(name, requests, { spec: { priority } })

describe("preemption", () => {
  it("kills pods one after the other, with Kubernetes' messages, and admits when the last has terminated", () => {
    const gate = makeAdmission()
    const others = [podOf("a", { cpu: "1" }), podOf("b", { cpu: "1" })]
    const { decision } = gate.offer(criticalPod("p", { cpu: "1500m" }), nodeOf(), others)
    assert.strictEqual(decision(), "waiting")
    assert.deepStrictEqual(
      gate.kills.map(({ uid }) => uid),
      ["b"],
      "of equal ones the later"
    )
    const { done, ...words } = gate.kills[0]?.kill ?? {}
    assert.deepStrictEqual(words, {
      reason: "Preempting",
      message: "Preempted in order to admit critical pod",
      disruption: "Pod was preempted by Kubelet to accommodate a critical pod."
    })
    done?.("stopped")
    assert.strictEqual(decision(), "waiting")
    gate.kills[1]?.kill.done?.("timedOut")
    assert.strictEqual(decision(), "admitted", "also when the second would not go in time")
    assert.deepStrictEqual(gate.preemptions, ["cpu"], "but that is not counted")
    assert.deepStrictEqual(gate.events, [
      "b Warning Preempting Preempted in order to admit critical pod",
      "a Warning Preempting Preempted in order to admit critical pod"
    ])
  })

  it("sets no DisruptionTarget in releases before that condition", () => {
    const gate = makeAdmission({
      config: kubeletConfig({ featureGates: { ...gates, PodDisruptionConditions: false } })
    })
    gate.offer(criticalPod("p", { cpu: "2" }), nodeOf(), [podOf("a", { cpu: "1" })])
    assert.isDefined(gate.kills[0])
    assert.isUndefined(gate.kills[0]?.kill.disruption)
  })

  it("preempts no pod when another predicate fails too, or preemption cannot suffice", () => {
    const gate = makeAdmission()
    const tainted = nodeOf({}, { spec: { taints: [{ key: "k", effect: "NoExecute" }] } })
    const others = [podOf("a", { cpu: "1" })]
    assert.deepStrictEqual(gate.offer(criticalPod("p", { cpu: "2" }), tainted, others).decision(), {
      reason: "TaintToleration",
      message: "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate"
    })
    assert.deepStrictEqual(gate.offer(criticalPod("p", { cpu: "3" }), nodeOf(), others).decision(), {
      reason: "UnexpectedAdmissionError",
      message:
        "Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: cpu, q: 1000), ]"
    })
    assert.lengthOf(gate.kills, 0)
  })

  it("applies to static pods too, whatever their priority", () => {
    const gate = makeAdmission()
    const annotations = { "kubernetes.io/config.source": "file" }
    gate.offer(podOf("p", { cpu: "2" }, { metadata: { annotations } }), nodeOf(), [podOf("a", { cpu: "1" })])
    assert.lengthOf(gate.kills, 1)
  })

  it("runs after a read of the Node that shows too few resources", () => {
    const gate = makeAdmission()
    const labels = { "kubernetes.io/os": "linux", disk: "ssd" }
    gate.setFresh(nodeOf({ pods: "1" }, { metadata: { name: "n1", labels, resourceVersion: "6" } }))
    const pod = podOf("p", {}, { spec: { nodeSelector: { disk: "ssd" }, priority: 2_000_000_000 } })
    const { decision } = gate.offer(pod, nodeOf(), [podOf("a")])
    gate.kills[0]?.kill.done?.("stopped")
    assert.strictEqual(decision(), "admitted")
    assert.deepStrictEqual(gate.preemptions, ["pods"])
  })

  it("counts overhead only of pods with a request", () => {
    const overhead = { cpu: "500m" }
    const sandboxed = podOf("a", { cpu: "500m" }, { spec: { overhead } })
    const idle = podOf("b", {}, { spec: { overhead } })
    const missing = [{ resource: "cpu", amount: 1000 }]
    const chosen = choosePreempted(criticalPod("p"), [sandboxed, idle], missing, gates)
    assert.deepStrictEqual(Result.isSuccess(chosen) ? chosen.success.map(({ metadata }) => metadata.name) : [], ["a"])
  })
})

const arbitraryPod = fc
  .record({
    cpu: fc.constantFrom("0", "100m", "250m", "1"),
    memory: fc.constantFrom("0", "64Mi", "1Gi"),
    limited: fc.boolean(),
    priority: fc.constantFrom(undefined, 0, 1000, 2_000_000_000, 2_000_001_000)
  })
  .map(({ limited, priority, ...requests }) => ({ limited, priority, requests }))

const podsOf = (list: ReadonlyArray<typeof arbitraryPod extends fc.Arbitrary<infer A> ? A : never>) =>
  list.map(({ limited, priority, requests }, index) => {
    const pod = limited ? guaranteedPod(`p${index}`, requests) : podOf(`p${index}`, requests)
    return priority === undefined ? pod : { ...pod, spec: { ...pod.spec, priority } }
  })

const missingResources = fc
  .record({
    cpu: fc.integer({ min: 0, max: 4000 }),
    memory: fc.integer({ min: 0, max: 4 * 2 ** 30 }),
    pods: fc.integer({ min: 0, max: 4 })
  })
  .map(
    (amounts): ReadonlyArray<MissingResource> =>
      Object.entries(amounts).flatMap(([resource, amount]) => (amount === 0 ? [] : [{ resource, amount }]))
  )

const milliCpuOf = (text: string | number | undefined) =>
  String(text ?? "0").endsWith("m") ? Number(String(text).slice(0, -1)) : Number(text ?? 0) * 1000
const bytesOf = (text: string | number | undefined) =>
  String(text) === "1Gi" ? 2 ** 30 : String(text) === "64Mi" ? 2 ** 26 : 0
const amountFreed = (pods: ReadonlyArray<Pod>, resource: string): number =>
  pods.reduce((sum, { spec }) => {
    const { cpu, memory } = spec.containers[0]?.resources?.requests ?? {}
    return sum + (resource === "pods" ? 1 : resource === "cpu" ? milliCpuOf(cpu) : bytesOf(memory))
  }, 0)
const freesEnough = (pods: ReadonlyArray<Pod>, wanted: ReadonlyArray<MissingResource>): boolean =>
  wanted.every(({ amount, resource }) => amountFreed(pods, resource) >= amount)

const qosRankOf = (pod: Pod): number => {
  const { limits, requests } = pod.spec.containers[0]?.resources ?? {}
  const asks = milliCpuOf(requests?.cpu) > 0 || bytesOf(requests?.memory) > 0
  if (!asks) return 0
  return limits !== undefined && milliCpuOf(limits.cpu) > 0 && bytesOf(limits.memory) > 0 ? 2 : 1
}

describe("victims", () => {
  it("free enough and are all preemptable; there are none only if all preemptable pods together would not free enough", () => {
    fc.assert(
      fc.property(fc.array(arbitraryPod, { maxLength: 12 }), missingResources, (list, wanted) => {
        const running = podsOf(list)
        const preemptor = criticalPod("p")
        const chosen = choosePreempted(preemptor, running, wanted, gates)
        const candidates = running.filter((pod) => isPreemptable(preemptor, pod))
        assert.strictEqual(Result.isSuccess(chosen), freesEnough(candidates, wanted))
        if (Result.isFailure(chosen)) return
        assert.isTrue(freesEnough(chosen.success, wanted))
        assert.strictEqual(new Set(chosen.success).size, chosen.success.length)
        for (const pod of chosen.success) {
          assert.include(running, pod)
          assert.isBelow(pod.spec.priority ?? 0, 2_000_000_000, "a critical pod does not give way to its like")
        }
      })
    )
  })

  it("are of a higher QoS class only if lower ones do not suffice, and the last of each is needed", () => {
    fc.assert(
      fc.property(fc.array(arbitraryPod, { maxLength: 12 }), missingResources, (list, wanted) => {
        const preemptor = criticalPod("p")
        const running = podsOf(list).filter((pod) => isPreemptable(preemptor, pod))
        const chosen = choosePreempted(preemptor, running, wanted, gates)
        if (Result.isFailure(chosen)) return
        const all = [0, 1, 2].map((each) => running.filter((pod) => qosRankOf(pod) === each))
        const taken = [0, 1, 2].map((each) => chosen.success.filter((pod) => qosRankOf(pod) === each))
        const [bestEffort = [], burstable = []] = all
        const [fromBestEffort = [], fromBurstable = [], fromGuaranteed = []] = taken
        assert.deepStrictEqual(chosen.success, taken.flat(), "in the order of the classes")
        const needed = (last: ReadonlyArray<Pod>, ...others: ReadonlyArray<ReadonlyArray<Pod>>) =>
          last.length === 0 || !freesEnough([...last.slice(0, -1), ...others.flat()], wanted)
        assert.isTrue(needed(fromGuaranteed, bestEffort, burstable))
        assert.isTrue(needed(fromBurstable, bestEffort, fromGuaranteed))
        assert.isTrue(needed(fromBestEffort, fromBurstable, fromGuaranteed))
      })
    )
  })
})

describe("admission", () => {
  it("never admits more requests than allocatable", () => {
    fc.assert(
      fc.property(fc.array(arbitraryPod, { maxLength: 30 }), (list) => {
        const { offer } = makeAdmission()
        const admitted: Array<Pod> = []
        for (const pod of podsOf(list)) {
          const ordinary = { ...pod, spec: { ...pod.spec, priority: 0 } }
          if (offer(ordinary, nodeOf(), [...admitted]).decision() === "admitted") admitted.push(ordinary)
        }
        assert.isAtMost(amountFreed(admitted, "cpu"), 2000)
        assert.isAtMost(amountFreed(admitted, "memory"), 4 * 2 ** 30)
        assert.isAtMost(admitted.length, 10)
      })
    )
  })

  it("counts rejections by a bounded set of reasons", () => {
    assert.strictEqual(rejectionLabel("OutOfcpu"), "OutOfcpu")
    assert.strictEqual(rejectionLabel("OutOfexample.com/gpu"), "OutOfExtendedResources")
    assert.strictEqual(rejectionLabel("NodeAffinity"), "Other")
    assert.strictEqual(rejectionLabel("TaintToleration"), "Other", "the list has the message where it means this")
    assert.strictEqual(rejectionLabel("NodeShutdown"), "NodeShutdown")
  })
})
