import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { loadScenarioText, rehearse } from "../src/index.ts"

const page = readFileSync(new URL("../../../docs/how-to/rehearse-your-cluster.md", import.meta.url), "utf8")
const labels = { app: "web", "pod-template-hash": "1" }
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "web" }] } }

/** 12 replicas on nodes of two zones, half of them in zone-b. */
const cluster = {
  apiVersion: "v1",
  kind: "List",
  items: [
    ...["a", "b"].map((zone) => ({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: zone, labels: { "topology.kubernetes.io/zone": `zone-${zone}` } }
    })),
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: {
        name: "web",
        namespace: "default",
        uid: "web",
        annotations: { "deployment.kubernetes.io/revision": "1" }
      },
      spec: {
        replicas: 12,
        selector: { matchLabels: { app: "web" } },
        template: { ...template, metadata: { labels: { app: "web" } } }
      }
    },
    {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: {
        name: "web-1",
        namespace: "default",
        labels,
        ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "web", controller: true }]
      },
      spec: { replicas: 12, selector: { matchLabels: labels }, template }
    },
    ...Array.from({ length: 12 }, (_, index) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: `web-1-${index}`,
        namespace: "default",
        labels,
        ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-1", uid: "web-1", controller: true }]
      },
      spec: {
        ...template.spec,
        nodeName: index < 6 ? "a" : "b",
        tolerations: [{ key: "node.kubernetes.io/unreachable", operator: "Exists", tolerationSeconds: 3600 }]
      },
      status: { phase: "Running" }
    })),
    { apiVersion: "policy/v1", kind: "PodDisruptionBudgetList", items: [] },
    { apiVersion: "v1", kind: "ServiceList", items: [] }
  ]
}

describe("docs/how-to/rehearse-your-cluster.md", () => {
  const [example = ""] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? "")

  it("has a scenario that fails if fewer than 8 were ready at some time, although all are at the end", () => {
    const files = { "cluster.json": JSON.stringify(cluster) }
    const [plan] = Effect.runSync(loadScenarioText(example, { files }))
    if (plan === undefined) assert.fail("holds no scenario")
    assert.deepStrictEqual(plan.warnings, [])
    const { expectations, summary } = Effect.runSync(rehearse(plan))
    assert.deepStrictEqual(
      expectations.map(({ held, name, observed }) => [name, held, observed]),
      [
        ["no evictions in zone a", true, "0"],
        ["web keeps 8 ready", false, "7 ready"]
      ]
    )
    assert.strictEqual(summary.workloads[0]?.minReady, 6)
  })
})
