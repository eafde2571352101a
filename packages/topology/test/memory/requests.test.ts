import { assert, describe, it } from "@effect/vitest"
import type { Container, Pod } from "@rollcall/api"
import * as Result from "effect/Result"
import { containerMemory, isMemoryKind, podMemory } from "../../src/memory/requests.ts"
import { reservedByNode } from "../../src/memory/reservedMemory.ts"
import { reservedMemoryError } from "../../src/rules.ts"
import { containerOf, Gi, gates, podOf } from "../fixtures.ts"

const Mi = 1024 ** 2
const gatesWithPodManagers = { ...gates, PodLevelResourceManagers: true }

const containerWith = (
  name: string,
  requests: Readonly<Record<string, string>>,
  more: Partial<Container> = {}
): Container => ({
  name,
  resources: { requests, limits: requests },
  ...more
})

const podWith = (
  containers: ReadonlyArray<Container>,
  initContainers: ReadonlyArray<Container> = [],
  resources?: NonNullable<Pod["spec"]["resources"]>
): Pod => ({
  ...podOf("pod", {}),
  spec: { containers, initContainers, ...(resources === undefined ? {} : { resources }) }
})

const sidecarPolicy = { restartPolicy: "Always" } as const

describe("a container's memory request", () => {
  it("includes memory and huge pages, in bytes", () => {
    assert.deepStrictEqual(["memory", "hugepages-2Mi", "cpu", "my-hugepages-2Mi"].map(isMemoryKind), [
      true,
      true,
      false,
      false
    ])
    const container = containerWith("a", { cpu: "2", memory: "1Gi", "hugepages-2Mi": "4Mi", "example.com/gpu": "1" })
    const bytes = containerMemory(podWith([container]), container, gates)
    assert.deepStrictEqual(bytes, Result.succeed({ memory: Gi, "hugepages-2Mi": 4 * Mi }))
    assert.deepStrictEqual(containerMemory(podWith([{ name: "a" }]), { name: "a" }, gates), Result.succeed({}))
  })

  it("is in whole bytes", () => {
    const odd = containerWith("a", { memory: "1500m" })
    const failure = Result.fail("[memorymanager] failed to represent quantity as int64")
    assert.deepStrictEqual(containerMemory(podWith([odd]), odd, gates), failure)
    assert.deepStrictEqual(podMemory(podWith([odd]), gates), failure)
    assert.deepStrictEqual(podMemory(podWith([containerOf("b", {})], [odd]), gates), failure)
  })

  it("is 0 in a pod managed at pod level, unless the container is itself Guaranteed", () => {
    const resources = { requests: { memory: "4Gi", cpu: "4" }, limits: { memory: "4Gi", cpu: "4" } }
    const memoryOf = (container: Container) =>
      containerMemory(podWith([container], [], resources), container, gatesWithPodManagers)
    assert.deepStrictEqual(memoryOf(containerWith("a", { memory: "1Gi" })), Result.succeed({}))
    assert.deepStrictEqual(memoryOf(containerWith("a", { memory: "1Gi", cpu: "1" })), Result.succeed({ memory: Gi }))
  })
})

describe("a pod's memory request", () => {
  it("is the sum over its containers, per memory type", () => {
    const pod = podWith([
      containerWith("a", { memory: "1Gi", "hugepages-2Mi": "4Mi" }),
      containerWith("b", { memory: "2Gi" })
    ])
    assert.deepStrictEqual(podMemory(pod, gates), Result.succeed({ memory: 3 * Gi, "hugepages-2Mi": 4 * Mi }))
  })

  it("is the maximum during its start if that is more: each init container beside the sidecars before it", () => {
    const memory = (containers: ReadonlyArray<Container>, initContainers: ReadonlyArray<Container>) =>
      Result.getOrThrow(podMemory(podWith(containers, initContainers), gates)).memory
    const app = containerWith("a", { memory: "2Gi" })
    assert.strictEqual(
      memory([app], [containerWith("i", { memory: "5Gi" }), containerWith("j", { memory: "3Gi" })]),
      5 * Gi
    )
    assert.strictEqual(memory([app], [containerWith("i", { memory: "1Gi" })]), 2 * Gi)
    assert.strictEqual(memory([app], [containerWith("s", { memory: "1Gi" }, sidecarPolicy)]), 3 * Gi)
    const between = [
      containerWith("i", { memory: "4Gi" }),
      containerWith("s", { memory: "1Gi" }, sidecarPolicy),
      containerWith("t", { memory: "1Gi" }, sidecarPolicy),
      containerWith("j", { memory: "4Gi" })
    ]
    assert.strictEqual(memory([app], between), 6 * Gi)
  })

  it("has only memory types that a regular container requests", () => {
    const pod = podWith(
      [containerWith("a", { memory: "1Gi" })],
      [containerWith("i", { memory: "1Gi", "hugepages-2Mi": "4Mi" })]
    )
    assert.deepStrictEqual(podMemory(pod, gates), Result.succeed({ memory: Gi }))
    const { initContainers: _, ...spec } = pod.spec
    assert.deepStrictEqual(podMemory({ ...pod, spec }, gates), Result.succeed({ memory: Gi }))
    const beside = podWith([containerWith("a", { memory: "1Gi" }), { name: "b" }], [{ name: "i" }])
    assert.deepStrictEqual(podMemory(beside, gates), Result.succeed({ memory: Gi }))
  })

  it("is the pod-level request, if the pod is managed at pod level", () => {
    const amounts = { memory: "4Gi", cpu: "1", "hugepages-2Mi": "0" }
    const pod = podWith([containerWith("a", { memory: "1Gi" })], [], { requests: amounts, limits: amounts })
    assert.deepStrictEqual(podMemory(pod, gatesWithPodManagers), Result.succeed({ memory: 4 * Gi }))
    assert.deepStrictEqual(podMemory(pod, gates), Result.succeed({ memory: Gi }))
  })
})

describe("reservedMemory", () => {
  const nodes = [0, 1]
  const on = (numaNode: number, limits: Readonly<Record<string, string>>) => ({ numaNode, limits })

  it("must equal the node allocatable reservation, per memory type", () => {
    const reserved = [on(0, { memory: "1Gi", "hugepages-2Mi": "2Mi" }), on(1, { memory: "1Gi" })]
    const expected = { memory: "2Gi", "hugepages-2Mi": "2Mi", cpu: "1" }
    assert.isUndefined(reservedMemoryError(nodes, expected, reserved))
    assert.isUndefined(reservedMemoryError(nodes, {}, []))
  })

  it("is refused if a memory type has too much or too little, with the first by name", () => {
    const words = (is: string, kind: string, should: string) =>
      `the total amount "${is}" of type "${kind}" is not equal to the value "${should}" determined by Node Allocatable feature`
    const errorOf = (expected: Readonly<Record<string, string>>, ...reserved: ReadonlyArray<ReturnType<typeof on>>) =>
      reservedMemoryError(nodes, expected, reserved)
    assert.strictEqual(errorOf({ memory: "3Gi" }, on(0, { memory: "1Gi" })), words("1Gi", "memory", "3Gi"))
    assert.strictEqual(errorOf({ memory: "1Gi" }), words("0", "memory", "1Gi"))
    assert.strictEqual(errorOf({}, on(0, { memory: "1Gi" })), words("1Gi", "memory", "0"))
    assert.strictEqual(
      errorOf({ memory: "1Gi" }, on(0, { "hugepages-2Mi": "2Mi" })),
      words("2Mi", "hugepages-2Mi", "0")
    )
    assert.strictEqual(
      errorOf({ memory: "1Gi", "hugepages-1Gi": "1Gi" }, on(0, { memory: "2Gi" })),
      words("0", "hugepages-1Gi", "1Gi")
    )
  })

  it("is refused on a node that the machine does not have", () => {
    assert.strictEqual(
      reservedMemoryError(nodes, { memory: "1Gi" }, [on(2, { memory: "1Gi" })]),
      "the reserved memory configuration references a NUMA node 2 that does not exist on this machine"
    )
  })

  it("is per node; the later of two entries for one node and memory type counts", () => {
    const reserved = [
      on(0, { memory: "1Gi", "hugepages-2Mi": "2Mi" }),
      on(1, { memory: "2Gi" }),
      on(0, { memory: "3Gi" })
    ]
    assert.deepStrictEqual(reservedByNode(reserved), {
      0: { memory: 3 * Gi, "hugepages-2Mi": 2 * Mi },
      1: { memory: 2 * Gi }
    })
  })
})
