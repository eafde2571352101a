import type { Lease, Node, ReplicaSet } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { simulate } from "../src/index.ts"
import { planOf } from "./run.ts"

const TAKEN = "2026-11-29T09:58:30Z"

const node: Node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "a" },
  status: {
    capacity: { cpu: "4", memory: "8Gi", pods: "110" },
    conditions: [{ type: "Ready", status: "True", reason: "KubeletReady", lastHeartbeatTime: "2026-11-29T09:56:00Z" }]
  }
}
const renewed = (at: string): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "a", namespace: "kube-node-lease" },
  spec: { holderIdentity: "a", leaseDurationSeconds: 40, renewTime: at }
})
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "x" }] } }
/** A ReplicaSet whose pod has been ready for five minutes, and a CronJob that ran a minute before the snapshot. */
const workloads = [
  {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "web", namespace: "default", uid: "u-web", creationTimestamp: "2026-11-01T00:00:00Z" },
    spec: { replicas: 1, minReadySeconds: 60, selector: { matchLabels: { app: "web" } }, template }
  },
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "web-x",
      namespace: "default",
      labels: { app: "web" },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u-web", controller: true }]
    },
    spec: { nodeName: "a", ...template.spec },
    status: {
      phase: "Running",
      startTime: "2026-11-29T09:53:29Z",
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-11-29T09:53:30Z" }]
    }
  },
  {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "often", namespace: "default", uid: "u-often", creationTimestamp: "2026-11-01T00:00:00Z" },
    spec: {
      schedule: "* * * * *",
      jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "x" }] } } } }
    },
    status: { lastScheduleTime: "2026-11-29T09:58:00Z" }
  }
]

const planned = (metadata: object, ...items: ReadonlyArray<object>) =>
  planOf(
    { duration: "50s", cluster: { snapshot: ["c.json"] } },
    { files: { "c.json": JSON.stringify({ apiVersion: "v1", kind: "List", metadata, items }) } }
  )
const taken = { annotations: { "rollcall.dev/snapshot-taken": TAKEN } }
const startOf = (plan: { readonly startMs: number }) => new Date(plan.startMs).toISOString()

describe("time 0 of a rehearsal", () => {
  it("is when the snapshot was taken", () => {
    assert.strictEqual(
      startOf(planned(taken, node, renewed("2026-11-29T09:58:25.500000Z"))),
      "2026-11-29T09:58:30.000Z"
    )
  })

  it("is the latest time in a snapshot that does not record its own, or that was taken in accelerated time", () => {
    assert.strictEqual(startOf(planned({}, node, renewed("2026-11-29T09:58:25.500000Z"))), "2026-11-29T09:58:26.000Z")
    assert.strictEqual(
      startOf(planned(taken, node, renewed("2026-11-29T12:00:00.000000Z"))),
      "2026-11-29T12:00:00.000Z"
    )
  })

  it("is the same for every run without a snapshot, or with one without times", () => {
    const groups = planOf({ duration: "1s", cluster: { nodes: [{ name: "a", count: 1 }] } })
    const undated = planned({}, { apiVersion: "v1", kind: "Node", metadata: { name: "a" } })
    assert.deepStrictEqual([groups, undated].map(startOf), ["2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z"])
  })

  it("lets CronJobs run, and pods be available, as in the cluster", () => {
    const plan = planned(taken, node, renewed("2026-11-29T09:58:25.000000Z"), ...workloads)
    const [jobs, sets] = Effect.runSync(
      Effect.scoped(
        Effect.gen(function* () {
          const { list, runWhile } = yield* simulate(plan)
          runWhile(() => true)
          return [yield* list("Job"), yield* list("ReplicaSet")] as const
        })
      )
    )
    assert.deepStrictEqual(
      jobs.map(({ metadata }) => metadata.name),
      [`often-${Date.UTC(2026, 10, 29, 9, 59) / 60_000}`]
    )
    assert.strictEqual((sets[0] as ReplicaSet | undefined)?.status?.availableReplicas, 1)
  })
})
