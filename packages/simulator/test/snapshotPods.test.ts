import type { Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { completePod } from "../src/snapshot/completePod.ts"
import { entriesOf, run } from "./run.ts"

const NOW = "2026-01-01T00:00:00Z"

const node = (name: string) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { "kubernetes.io/hostname": name } }
})

const pod = (name: string, status: Readonly<Record<string, unknown>> | undefined, spec = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: { nodeName: "n1", containers: [{ name: "c", image: "x" }], ...spec },
  ...(status === undefined ? {} : { status })
})

const runDrain = (...pods: ReadonlyArray<object>) =>
  run(
    {
      duration: "5m",
      cluster: { snapshot: ["snapshot.json"] },
      events: [{ at: "2m", do: "drain", force: true, nodes: { names: ["n1"] } }]
    },
    {
      files: {
        "snapshot.json": JSON.stringify({ apiVersion: "v1", kind: "List", items: [node("n1"), node("n2"), ...pods] })
      }
    }
  )

describe("a pod of a handwritten snapshot", () => {
  const written = {
    "has no status": undefined,
    "says Running and nothing else": { phase: "Running" },
    "is ready and says nothing of its containers": {
      phase: "Running",
      conditions: [{ type: "Ready", status: "True" }]
    },
    "names its containers without their states": {
      phase: "Running",
      containerStatuses: [{ name: "c", ready: true, restartCount: 2, image: "x", imageID: "" }]
    }
  }
  for (const [what, status] of Object.entries(written)) {
    it(`runs and ends, though it ${what}`, () => {
      const result = runDrain(pod("p", status))
      assert.deepStrictEqual(
        entriesOf(result, "PodDeleted").map(({ at, pod: name }) => [name, at]),
        [["p", 121]]
      )
      assert.notInclude(result.warnings.join("\n"), "waits for")
    })
  }

  it("is scheduled and started if it has no node", () => {
    const result = runDrain(
      pod("p", undefined, { nodeName: undefined, nodeSelector: { "kubernetes.io/hostname": "n1" } })
    )
    assert.deepStrictEqual(
      entriesOf(result, "PodPhaseChanged").map(({ to }) => to),
      ["Running", "Succeeded"]
    )
  })

  it("is ready from the start, without a trace entry", () => {
    const result = runDrain(pod("p", { phase: "Running" }))
    assert.deepStrictEqual(
      entriesOf(result, "PodReadyChanged").map(({ at, ready }) => [ready, at]),
      [[false, 121]]
    )
  })
})

describe("completePod", () => {
  const complete = (object: object) => completePod(object as Pod, NOW) as Pod

  it("gives every pod a phase and a QoS class, by its own requests", () => {
    assert.deepStrictEqual(complete(pod("p", undefined)).status, { phase: "Pending", qosClass: "BestEffort" })
    const asking = { containers: [{ name: "c", image: "x", resources: { requests: { cpu: "1" } } }] }
    assert.strictEqual(complete(pod("p", undefined, asking)).status?.qosClass, "Burstable")
  })

  it("marks init containers as terminated and sidecars as running", () => {
    const spec = {
      initContainers: [
        { name: "setup", image: "x" },
        { name: "sidecar", image: "x", restartPolicy: "Always" }
      ]
    }
    const [setup, sidecar] = complete(pod("p", { phase: "Running" }, spec)).status?.initContainerStatuses ?? []
    assert.strictEqual(setup?.state?.terminated?.exitCode, 0)
    assert.strictEqual(sidecar?.state?.running?.startedAt, NOW)
  })

  it("does not mark containers of an unready pod as ready", () => {
    const status = { phase: "Running", conditions: [{ type: "Ready", status: "False" }] }
    const completed = complete(pod("p", status)).status
    assert.deepStrictEqual(
      completed?.containerStatuses?.map(({ ready }) => ready),
      [false]
    )
    assert.strictEqual(completed?.conditions?.find(({ type }) => type === "ContainersReady")?.status, "False")
  })

  it("keeps existing fields, and terminated pods", () => {
    const whole = complete(pod("p", { phase: "Running", qosClass: "Burstable", startTime: "2025-05-05T05:05:05Z" }))
    assert.deepStrictEqual(complete(whole), whole)
    assert.strictEqual(whole.status?.qosClass, "Burstable")
    assert.strictEqual(whole.status?.containerStatuses?.[0]?.state?.running?.startedAt, "2025-05-05T05:05:05Z")
    const over = { phase: "Succeeded", qosClass: "BestEffort" }
    assert.deepStrictEqual(complete(pod("p", over)).status, over)
  })
})
