import { assert, describe, it } from "@effect/vitest"
import { type FilterPlugin, type Rejection, SchedulingCache } from "../src/index.ts"
import { failureMessage, filterNodes, nodeAffinity, nodeResourcesFit, rejectingPlugins } from "../src/rules.ts"
import { nodeNamed, podNamed } from "./withScheduler.ts"

const only = (name: string, ...nodes: ReadonlyArray<string>): FilterPlugin => ({
  name,
  prepare: () => ({ _tag: "Check", check: () => undefined, nodeNames: new Set(nodes) })
})

const refuse = (plugin: string, code: Rejection["code"]): FilterPlugin => ({
  name: plugin,
  prepare: () => ({ _tag: "Reject", rejection: { plugin, code, reasons: [`${plugin} said so`] } })
})

const run = (filters: ReadonlyArray<FilterPlugin>, pod = podNamed("p", "1")) => {
  const cache = new SchedulingCache()
  for (const name of ["a", "b", "c"]) cache.setNode(nodeNamed(name, { cpu: name === "c" ? "4" : "500m" }))
  const filtered = filterNodes(cache.describe(pod), cache, filters, {
    start: 0,
    nodesToFind: (candidates) => candidates
  })
  return {
    message: filtered.feasible.length > 0 ? "" : failureMessage(filtered),
    plugins: rejectingPlugins(filtered),
    feasible: filtered.feasible.map(({ name }) => name)
  }
}

describe("filters that name the only nodes", () => {
  it("leave the others out in one reason, and count as rejecting even where they leave all in", () => {
    assert.deepStrictEqual(run([only("Two", "a", "b"), only("One", "b"), nodeResourcesFit]), {
      message: "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [One Two].",
      plugins: ["NodeResourcesFit", "One", "Two"],
      feasible: []
    })
    assert.deepStrictEqual(run([only("All", "a", "b", "c")]).plugins, ["All"])
  })

  it("reject the pod when no node is left between them", () => {
    assert.deepStrictEqual(run([only("Left", "a"), only("Right", "b"), refuse("Later", "Unschedulable")]), {
      message: "0/3 nodes are available: node(s) didn't satisfy plugin(s) [Left Right] simultaneously.",
      plugins: ["Left", "Right"],
      feasible: []
    })
    assert.strictEqual(run([only("Lonely")]).message, "0/3 nodes are available: node(s) didn't satisfy plugin Lonely.")
  })
})

describe("filters that reject the pod as a whole", () => {
  it("end the round only where no preemption could help", () => {
    const soft = refuse("Soft", "Unschedulable")
    const hard = refuse("Hard", "UnschedulableAndUnresolvable")
    assert.deepStrictEqual(run([soft, hard]).plugins, ["Hard"])
    assert.deepStrictEqual(run([soft, refuse("Softer", "Unschedulable")]).plugins, ["Softer"])
    assert.deepStrictEqual(run([hard, soft]).message, "0/3 nodes are available: Hard said so.")
  })
})

describe("NodeAffinity", () => {
  it("counts among the rejecting plugins of a pod that is pinned to the only node", () => {
    const pinned = podNamed("p", "1", {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["a"] }] }]
          }
        }
      }
    })
    assert.deepStrictEqual(run([nodeAffinity, nodeResourcesFit], pinned), {
      message: "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
      plugins: ["NodeAffinity", "NodeResourcesFit"],
      feasible: []
    })
  })
})
