import { assert, describe, it } from "@effect/vitest"
import { type Container, defaultRelease, featureGatesOf, type Pod } from "@rollcall/api"
import { exclusiveCpus, podExclusiveCpus } from "../../src/rules.ts"
import { container, podOf, sidecar } from "./pods.ts"

const gates = featureGatesOf(defaultRelease)
const gatesWithPodManagers = { ...gates, PodLevelResourceManagers: true }

const containerWith = (
  requests: Readonly<Record<string, string>>,
  limits: Readonly<Record<string, string>> = requests
): Container => ({ name: "c", resources: { requests, limits } })

const withPodResources = (pod: Pod, resources: NonNullable<Pod["spec"]["resources"]>): Pod => ({
  ...pod,
  spec: { ...pod.spec, resources }
})

describe("the exclusive CPUs of a container", () => {
  const own = (one: Container, others: ReadonlyArray<Container> = []) =>
    exclusiveCpus(podOf("a", [one, ...others]), one, gates)

  it("are its request, where that is a whole number", () => {
    assert.strictEqual(own(container("c", "2")), 2)
    assert.strictEqual(own(container("c", "3000m")), 3)
    assert.strictEqual(own(container("c", "2500m")), 0)
    assert.strictEqual(own(container("c", "999m")), 0)
  })

  it("are none in a pod that is not Guaranteed", () => {
    assert.strictEqual(own(containerWith({ cpu: "2", memory: "1Gi" }, { cpu: "3", memory: "1Gi" })), 0)
    assert.strictEqual(own(containerWith({ cpu: "2", memory: "1Gi" }, {})), 0)
    assert.strictEqual(own(container("c", "2"), [containerWith({ memory: "1Gi" }, {})]), 0)
    assert.strictEqual(own({ name: "c" }), 0)
  })

  it("are, in a pod managed at pod level, only those of a container that is itself Guaranteed", () => {
    const amounts = { cpu: "8", memory: "8Gi" }
    const inWhole = (one: Container) =>
      exclusiveCpus(
        withPodResources(podOf("a", [one]), { requests: amounts, limits: amounts }),
        one,
        gatesWithPodManagers
      )
    assert.strictEqual(inWhole(container("c", "2")), 2)
    assert.strictEqual(inWhole(containerWith({ cpu: "2" })), 0)
    assert.strictEqual(inWhole(containerWith({ cpu: "2", memory: "1Gi" }, { cpu: "2", memory: "2Gi" })), 0)
    assert.strictEqual(inWhole(containerWith({ cpu: "2", memory: "1Gi" }, { cpu: "3", memory: "1Gi" })), 0)
    assert.strictEqual(inWhole(containerWith({ cpu: "2", memory: "1Gi" }, { cpu: "2" })), 0)
    assert.strictEqual(inWhole(containerWith({ cpu: "2", memory: "0" })), 0)
    assert.strictEqual(inWhole({ name: "c", resources: {} }), 0)
    assert.strictEqual(inWhole({ name: "c", resources: { requests: { cpu: "2", memory: "1Gi" } } }), 0)
    assert.strictEqual(inWhole({ name: "c" }), 0)
  })
})

describe("the exclusive CPUs of a pod", () => {
  it("are the sum of its containers', or the maximum during its start if that is more", () => {
    const total = (containers: ReadonlyArray<Container>, initContainers: ReadonlyArray<Container> = []) =>
      podExclusiveCpus(podOf("a", containers, initContainers), gates)
    assert.strictEqual(total([container("a", "2"), container("b", "3"), container("c", "500m")]), 5)
    assert.strictEqual(total([container("a", "2")], [container("i", "4"), container("j", "3")]), 4)
    assert.strictEqual(total([container("a", "2")], [sidecar("s", "1")]), 3)
    // Before the sidecar 4, beside it 1 + 4, in the end 1 + 2.
    assert.strictEqual(total([container("a", "2")], [container("i", "4"), sidecar("s", "1"), container("j", "4")]), 5)
  })

  it("are the pod-level request, if the pod is Guaranteed and managed at pod level", () => {
    const pod = podOf("a", [container("a", "2")])
    const amounts = { cpu: "6", memory: "8Gi" }
    const guaranteed = withPodResources(pod, { requests: amounts, limits: amounts })
    assert.strictEqual(podExclusiveCpus(guaranteed, gatesWithPodManagers), 6)
    assert.strictEqual(podExclusiveCpus(guaranteed, gates), 2)
    assert.strictEqual(podExclusiveCpus(withPodResources(pod, { requests: amounts }), gatesWithPodManagers), 0)
    const odd = { ...amounts, cpu: "6500m" }
    assert.strictEqual(podExclusiveCpus(withPodResources(pod, { requests: odd, limits: odd }), gatesWithPodManagers), 0)
  })
})
