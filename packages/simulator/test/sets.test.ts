import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { applyOverrides } from "../src/input/sets.ts"

const document = {
  metadata: { name: "x" },
  spec: { seed: 1, cluster: { nodes: [{ name: "a" }, { name: "b", count: 2 }] }, events: [{ at: "2m" }] }
}
const set = (...sets: ReadonlyArray<string>) =>
  Result.match(applyOverrides(document, sets), { onSuccess: (value) => value, onFailure: (error) => error.message })

describe("--set", () => {
  it("changes existing fields and no others, and does not mutate the document", () => {
    const before = structuredClone(document)
    assert.deepStrictEqual(set("spec.seed=7"), { ...before, spec: { ...before.spec, seed: 7 } })
    assert.deepStrictEqual(document, before)
    assert.deepStrictEqual(set(), before)
  })

  it("creates the missing parents of a field", () => {
    assert.deepStrictEqual(
      set("spec.config.kubeControllerManager.nodeLifecycleController.nodeMonitorGracePeriod=20s"),
      {
        ...document,
        spec: {
          ...document.spec,
          config: { kubeControllerManager: { nodeLifecycleController: { nodeMonitorGracePeriod: "20s" } } }
        }
      }
    )
  })

  it("reads values as YAML, which may contain =", () => {
    const value = (text: string) => {
      const changed = set(`spec.x=${text}`)
      return typeof changed === "string" ? changed : (changed as { spec: { x: unknown } }).spec.x
    }
    assert.deepStrictEqual(["3", "true", '"3"', "20s", "[1, 2]", "{ a: 1 }", "null", "a=b"].map(value), [
      3,
      true,
      "3",
      "20s",
      [1, 2],
      { a: 1 },
      null,
      "a=b"
    ])
  })

  it("selects an item of a list", () => {
    assert.deepStrictEqual(set("spec.cluster.nodes[1].count=5", "spec.events[0].at=3m"), {
      ...document,
      spec: {
        ...document.spec,
        cluster: { nodes: [{ name: "a" }, { name: "b", count: 5 }] },
        events: [{ at: "3m" }]
      }
    })
  })

  it("applies several settings in order", () => {
    assert.deepStrictEqual(set("metadata.name=y", "metadata.name=z"), { ...document, metadata: { name: "z" } })
  })

  it("refuses a text that is not a setting", () => {
    for (const bad of ["duration=3m", "spec", "spec=1", "spec.=1", "spec..a=1", "spec.a[x]=1", "=1", "status.x=1"]) {
      assert.strictEqual(set(bad), `--set: ${bad}: expected spec.path=value, such as spec.duration=30m`)
    }
  })

  it("refuses an item that the list does not have", () => {
    assert.strictEqual(set("spec.events[1].at=3m"), "--set: spec.events[1].at=3m: spec.events has no item 1")
    assert.strictEqual(
      set("spec.cluster.nodes.a.count=3"),
      "--set: spec.cluster.nodes.a.count=3: spec.cluster.nodes has no item a"
    )
  })
})
