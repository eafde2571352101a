import { assert, describe, it } from "@effect/vitest"
import { type FilterPlugin, type Rejection, SchedulingCache } from "../src/index.ts"
import { failureMessage, filterNodes, nodeAffinity, nodeResourcesFit, rejectingPlugins } from "../src/rules.ts"
import { nodeNamed, podNamed } from "./withScheduler.ts"

const filterThatNames = (name: string, ...nodes: ReadonlyArray<string>): FilterPlugin => ({
  name,
  prepare: () => ({ _tag: "Check", check: () => undefined, nodeNames: new Set(nodes) })
})

const filterThatRejects = (plugin: string, code: Rejection["code"]): FilterPlugin => ({
  name: plugin,
  prepare: () => ({ _tag: "Reject", rejection: { plugin, code, reasons: [`${plugin} said so`] } })
})

const schedule = (filters: ReadonlyArray<FilterPlugin>, pod = podNamed("p", "1")) => {
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
  it("give one reason for all other nodes, and count as rejecting even where they name all nodes", () => {
    assert.deepStrictEqual(
      schedule([filterThatNames("Two", "a", "b"), filterThatNames("One", "b"), nodeResourcesFit]),
      {
        message: "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [One Two].",
        plugins: ["NodeResourcesFit", "One", "Two"],
        feasible: []
      }
    )
    assert.deepStrictEqual(schedule([filterThatNames("All", "a", "b", "c")]).plugins, ["All"])
  })

  it("reject the pod when no node is left between them", () => {
    assert.deepStrictEqual(
      schedule([
        filterThatNames("Left", "a"),
        filterThatNames("Right", "b"),
        filterThatRejects("Later", "Unschedulable")
      ]),
      {
        message: "0/3 nodes are available: node(s) didn't satisfy plugin(s) [Left Right] simultaneously.",
        plugins: ["Left", "Right"],
        feasible: []
      }
    )
    assert.strictEqual(
      schedule([filterThatNames("Lonely")]).message,
      "0/3 nodes are available: node(s) didn't satisfy plugin Lonely."
    )
  })
})

describe("filters that reject the pod as a whole", () => {
  it("end the cycle only where no preemption could help", () => {
    const soft = filterThatRejects("Soft", "Unschedulable")
    const hard = filterThatRejects("Hard", "UnschedulableAndUnresolvable")
    assert.deepStrictEqual(schedule([soft, hard]).plugins, ["Hard"])
    assert.deepStrictEqual(schedule([soft, filterThatRejects("Softer", "Unschedulable")]).plugins, ["Softer"])
    assert.deepStrictEqual(schedule([hard, soft]).message, "0/3 nodes are available: Hard said so.")
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
    assert.deepStrictEqual(schedule([nodeAffinity, nodeResourcesFit], pinned), {
      message: "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
      plugins: ["NodeAffinity", "NodeResourcesFit"],
      feasible: []
    })
  })
})
