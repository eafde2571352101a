import { assert, describe, it } from "@effect/vitest"
import type { Node, Pod } from "@rollcall/api"
import { SchedulingCache } from "../src/index.ts"
import { nodeNamed, podNamed } from "./withScheduler.ts"

const demandOf = (pod: Pod) => new SchedulingCache().describe(pod).requests

const podWithRequests = (requests: Record<string, string | number>): Pod =>
  podNamed("p", "1", { containers: [{ name: "c", resources: { requests } }] })

describe("a pod's requests", () => {
  it("is counted in whole units, rounded up", () => {
    const { cpu, ephemeral, memory } = demandOf(
      podWithRequests({ cpu: "0.0015", memory: "1500m", "ephemeral-storage": "1.5Ki" })
    )
    assert.deepStrictEqual({ cpu, ephemeral, memory }, { cpu: 2, memory: 2, ephemeral: 1536 })
    assert.strictEqual(demandOf(podWithRequests({ cpu: "1e-1" })).cpu, 100)
  })

  it("are only resources that the scheduler knows", () => {
    const demand = demandOf(
      podWithRequests({
        "hugepages-2Mi": "4Mi",
        "example.com/gpu": 2,
        storage: "1Gi",
        pods: 3,
        "attachable-volumes-x": 1
      })
    )
    assert.deepStrictEqual(
      demand.scalars.map(({ amount, name }) => [name, amount]),
      [
        ["attachable-volumes-x", 1],
        ["example.com/gpu", 2],
        ["hugepages-2Mi", 4 * 1024 * 1024]
      ]
    )
    assert.isTrue(demandOf(podWithRequests({ storage: "1Gi" })).isZero)
  })

  it("counts sidecars, overhead and pod-level requests", () => {
    const container = (name: string, cpu: string, more: object = {}) => ({
      name,
      resources: { requests: { cpu } },
      ...more
    })
    const sidecar = { restartPolicy: "Always" as const }
    const spec = {
      initContainers: [
        container("early", "2"),
        container("side", "1", sidecar),
        container("late", "3"),
        container("other", "1", sidecar)
      ],
      containers: [container("main", "1")],
      overhead: { cpu: "100m" }
    }
    // `late` runs beside `side` alone: 4; main and both sidecars are 3.
    assert.strictEqual(demandOf(podNamed("p", "1", spec)).cpu, 4100)
    assert.strictEqual(demandOf(podNamed("p", "1", { ...spec, resources: { requests: { cpu: "2" } } })).cpu, 2100)
  })

  it("is the maximum of old, current and desired requests during an in-place resize", () => {
    const resized = (status: object, resources = {}): Pod => ({ ...podNamed("p", "2", resources), status })
    const container = (cpu: string, allocated = cpu) => ({
      containerStatuses: [
        {
          name: "c",
          ready: true,
          restartCount: 0,
          image: "img",
          imageID: "",
          resources: { requests: { cpu } },
          allocatedResources: { cpu: allocated }
        }
      ]
    })
    assert.strictEqual(demandOf(resized(container("3"))).cpu, 3000)
    assert.strictEqual(demandOf(resized(container("1", "4"))).cpu, 4000)
    const never = { conditions: [{ type: "PodResizePending", status: "True" as const, reason: "Infeasible" }] }
    assert.strictEqual(demandOf(resized({ ...container("1"), ...never })).cpu, 1000)
    const whole = { resources: { requests: { cpu: "2" } } }
    const had = { resources: { requests: { cpu: "5" } }, allocatedResources: { cpu: "1" } }
    assert.strictEqual(demandOf(resized(had, whole)).cpu, 5000)
    assert.strictEqual(demandOf(resized({ ...had, ...never }, whole)).cpu, 5000)
    assert.strictEqual(demandOf(resized({ allocatedResources: { cpu: "5" } }, whole)).cpu, 2000)
  })
})

describe("the order of nodes", () => {
  it("uses the beta zone labels if a node has both", () => {
    const cache = new SchedulingCache()
    const inZone = (name: string, older: string): Node => {
      const node = nodeNamed(name, { zone: "same" })
      const labels = { ...node.metadata.labels, "failure-domain.beta.kubernetes.io/zone": older }
      return { ...node, metadata: { ...node.metadata, labels } }
    }
    for (const [name, zone] of [
      ["a1", "a"],
      ["a2", "a"],
      ["b1", "b"]
    ] as const) {
      cache.setNode(inZone(name, zone))
    }
    assert.deepStrictEqual(
      cache.nodes().map(({ name }) => name),
      ["a1", "b1", "a2"]
    )
  })
})
