import { assert, describe, it } from "vitest"
import { planDrain } from "../src/index.ts"
import { renderDrainJson, renderDrainTable } from "../src/report/index.ts"

const pod = (name: string) =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "shop",
      uid: name,
      labels: { app: "web" },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u", controller: true }]
    },
    spec: { nodeName: "n1", terminationGracePeriodSeconds: 30, containers: [{ name: "c" }] },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] }
  }) as const

const snapshot = {
  nowMs: Date.UTC(2026, 0, 1),
  nodes: ["n1", "n2"].map((name) => ({ apiVersion: "v1", kind: "Node", metadata: { name } }) as const),
  pods: [pod("web-a"), pod("web-b")],
  budgets: [],
  daemonSets: [],
  replicaSets: [],
  statefulSets: []
}
const scheduler = () => ({
  place: () => ({ _tag: "Placed", node: "n2" }) as const,
  update: () => {},
  remove: () => {}
})
const plan = planDrain(snapshot, { nodes: ["n1"] }, { scheduler, decideEviction: () => ({ _tag: "Delete" }) as const })

describe("the report of a drain", () => {
  it("has a table: when each pod leaves, and where it is replaced", () => {
    const table = renderDrainTable({ plan, gaps: [] })
    assert.match(table, /^Draining n1 takes 1s, at worst 30s: 2 pods leave, 0 stay\. Nothing blocks\.$/m)
    assert.match(table, /^ {2}0s +1s +30s +shop\/web-a +n2, ready at /m)
  })

  it("names what is not known, and does not treat what depends on it as certain", () => {
    const gaps = [{ kind: "PodDisruptionBudget", message: "the snapshot has no PodDisruptionBudget: nobody knows" }]
    const table = renderDrainTable({ plan, gaps })
    assert.include(table, "Nothing known blocks it; budgets are not known.")
    assert.include(table, "\nNot known\n  the snapshot has no PodDisruptionBudget: nobody knows\n")
    const whole = JSON.parse(renderDrainJson({ plan, gaps }))
    assert.deepStrictEqual([whole.kind, whole.blocked, whole.gaps], ["DrainPlan", false, gaps])
  })

  it("has a JSON form: pods by name, moments in seconds", () => {
    const { apiVersion, blocked, gaps, nodes } = JSON.parse(renderDrainJson({ plan, gaps: [] }))
    assert.deepStrictEqual([apiVersion, blocked, gaps], ["rollcall.dev/v1alpha1", false, undefined])
    const [first] = nodes[0].pods
    assert.deepInclude(first, { namespace: "shop", name: "web-a", by: "eviction" })
    assert.strictEqual(first.leaves.expected, 0)
    assert.notProperty(first, "pod")
  })
})
