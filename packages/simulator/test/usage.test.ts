import { assert, describe, it } from "vitest"
import { behaviourWith } from "../src/usage/podUsage.ts"
import { entriesOf, planOf, run } from "./run.ts"

const deployment = (resources: object) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "web:1", resources }] }
    }
  }
})

const autoscaler = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    minReplicas: 2,
    maxReplicas: 10,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }]
  }
}

const pods = { labels: { app: "web" } }
const nodes = [{ name: "a", count: 2, capacity: { cpu: "8", memory: "8Gi" } }]

describe("what pods use in a scenario", () => {
  it("scales them by the work that the ready ones share, up and down", () => {
    const result = run({
      duration: "20m",
      cluster: { nodes, objects: [deployment({ requests: { cpu: "1" } }), autoscaler] },
      usage: [
        {
          pods,
          shared: true,
          cpu: [
            { at: "0s", amount: "1" },
            { at: "5m", amount: "3" },
            { at: "10m", amount: "1" }
          ]
        }
      ]
    })
    const created = entriesOf(result, "PodCreated").map(({ at }) => at)
    assert.lengthOf(created, 6)
    assert.isTrue(
      created.slice(2).every((at) => at >= 300 && at < 345),
      String(created)
    )
    const deleted = entriesOf(result, "PodDeleted").map(({ at }) => at)
    assert.lengthOf(deleted, 4)
    assert.isTrue(deleted.every((at) => at > 600 + 300))
    assert.deepStrictEqual(result.warnings, [])
  })

  it("gives autoscalers no metrics of pods that use nothing stated", () => {
    const cluster = { nodes, objects: [deployment({ requests: { cpu: "1" } }), autoscaler] }
    assert.lengthOf(entriesOf(run({ duration: "5m", cluster }), "PodCreated"), 2)
  })

  it("evicts pods whose memory grows beyond what the machine has", () => {
    const result = run({
      duration: "10m",
      cluster: { nodes: [{ ...nodes[0], count: 1 }], objects: [deployment({ requests: { memory: "1Gi" } })] },
      usage: [
        {
          pods,
          memory: [
            { at: "0s", amount: "1Gi" },
            { at: "3m", amount: "6Gi" }
          ]
        }
      ]
    })
    const [first] = entriesOf(result, "ConditionChanged").filter(
      ({ condition, to }) => condition === "MemoryPressure" && to === "True"
    )
    assert.isAtLeast(first?.at ?? 0, 180)
    assert.isTrue(entriesOf(result, "PodPhaseChanged").some(({ reason }) => reason === "Evicted"))
  })

  it("adds to the behaviour of pods, for one container or all", () => {
    const used = (container?: string) => [{ container, amounts: { cpu: "1" } }]
    assert.strictEqual(behaviourWith(undefined, used()), '{"*":{"cpu":"1"}}')
    const own = '{"a":{"exitCode":1},"*":{"cpu":"2","memory":"1Gi"}}'
    assert.strictEqual(behaviourWith(own, used()), '{"a":{"exitCode":1,"cpu":"1"},"*":{"cpu":"1","memory":"1Gi"}}')
    assert.strictEqual(
      behaviourWith(own, used("b")),
      '{"a":{"exitCode":1},"*":{"cpu":"2","memory":"1Gi"},"b":{"cpu":"1","memory":"1Gi"}}'
    )
    assert.strictEqual(behaviourWith("{", used()), "{")
  })

  it("names mistakes with their path", () => {
    const problem = (usage: object) => {
      try {
        planOf({ duration: "1m", cluster: { nodes }, usage: [usage] })
      } catch (error) {
        return String(error)
      }
      return ""
    }
    assert.include(problem({ pods: { labels: {} }, cpu: "1" }), "spec.usage[0].pods.labels")
    assert.include(problem({ pods }), "spec.usage[0]: has no amounts, expected one of cpu, memory, swap, disk, logs")
    const twice = [
      { at: "1m", amount: "1" },
      { at: "1m", amount: "2" }
    ]
    assert.include(problem({ pods, cpu: twice }), "spec.usage[0].cpu[1].at")
    assert.include(problem({ pods, cpu: "much" }), "spec.usage[0].cpu")
  })
})
