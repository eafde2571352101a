import { assert, describe, it } from "@effect/vitest"
import type { Pod, PodSpec } from "@rollcall/api"
import * as fc from "fast-check"
import { podKey } from "../src/cache/PodInfo.ts"
import { countReasons } from "../src/FailureMessage.ts"
import { defaultProfile, SchedulingCache } from "../src/index.ts"
import { KnownChecks } from "../src/KnownChecks.ts"
import { filterNodes, rejectingPlugins } from "../src/rules.ts"
import { nodeNamed, podNamed } from "./withScheduler.ts"

const container = (cpu: string, hostPort?: number) => ({
  name: "main",
  resources: { requests: { cpu } },
  ...(hostPort === undefined ? {} : { ports: [{ containerPort: 80, hostPort }] })
})

const templates: ReadonlyArray<PodSpec> = [
  { containers: [container("1")] },
  { containers: [container("3")] },
  { containers: [container("100m", 80)] },
  { containers: [container("100m")], tolerations: [{ operator: "Exists" }] },
  { containers: [container("1")], nodeSelector: { disk: "ssd" } },
  // More templates than are remembered.
  ...Array.from({ length: 15 }, (_, index) => ({ containers: [container(`${index + 1}00m`)] }))
]

const names = ["a", "b", "c"]

const change = fc.record({
  node: fc.constantFrom(...names),
  does: fc.oneof(
    { weight: 3, arbitrary: fc.constant("search") },
    { weight: 3, arbitrary: fc.constantFrom("place", "remove") },
    fc.constantFrom("taint", "cordon", "label", "resize", "fill", "delete", "search for one")
  ),
  template: fc.oneof({ weight: 4, arbitrary: fc.nat(2) }, fc.nat(templates.length - 1))
})

const podOf = (template: number, uid: string): Pod => ({
  ...podNamed(uid, "1"),
  spec: templates[template] as PodSpec
})

const one = (): number => 1
const allOf = (candidates: number): number => candidates

const found = (pod: Pod, cache: SchedulingCache, known?: KnownChecks, nodesToFind = allOf) => {
  const filtered = filterNodes(cache.describe(pod), cache, defaultProfile.filters, {
    start: 1,
    nodesToFind,
    ...(known === undefined ? {} : { known })
  })
  const { checked, feasible, rejected, rejections } = filtered
  return {
    checked,
    feasible: feasible.map(({ name }) => name),
    rejected: rejected.map(({ name }) => name),
    rejections,
    reasons: countReasons(filtered),
    plugins: rejectingPlugins(filtered)
  }
}

describe("KnownChecks", () => {
  it("gives the results of a search without it, whatever changes in between", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60, size: "max" }), (changes) => {
        const cache = new SchedulingCache()
        const known = new KnownChecks()
        const placed: Array<string> = []
        for (const name of names) cache.setNode(nodeNamed(name, { cpu: "4" }))
        for (const [index, { does, node, template }] of changes.entries()) {
          const plain = nodeNamed(node, { cpu: "4" })
          const pod = podOf(template, `pod-${index}`)
          if (does === "place") {
            cache.place(cache.describe(pod), node)
            placed.push(podKey(pod))
          } else if (does === "remove") cache.remove(placed.pop() ?? "")
          else if (does === "taint") cache.setNode({ ...plain, spec: { taints: [{ key: "k", effect: "NoSchedule" }] } })
          else if (does === "cordon") cache.setNode({ ...plain, spec: { unschedulable: true } })
          else if (does === "label")
            cache.setNode({ ...plain, metadata: { ...plain.metadata, labels: { disk: "ssd" } } })
          else if (does === "resize") cache.setNode(nodeNamed(node, { cpu: "1" }))
          else if (does === "delete") cache.removeNode(node)
          else if (does === "fill") for (const name of names) cache.setNode(nodeNamed(name, { cpu: "50m" }))
          else if (does === "search for one")
            assert.deepStrictEqual(found(pod, cache, known, one), found(pod, cache, undefined, one))
          else assert.deepStrictEqual(found(pod, cache, known), found(pod, cache))
        }
        for (let template = 0; template < templates.length; template++) {
          const pod = podOf(template, "last")
          assert.deepStrictEqual(found(pod, cache, known), found(pod, cache))
        }
      }),
      { numRuns: 30 }
    )
  })

  it("checks a node again only when the node has changed", () => {
    const cache = new SchedulingCache()
    const known = new KnownChecks()
    for (const name of names) cache.setNode(nodeNamed(name, { cpu: "4" }))
    const pod = cache.describe(podOf(0, "pod"))
    const checked: Array<string> = []
    const search = () => {
      const check = known.resultsOf(pod, ({ name }) => void checked.push(name), cache.nodes().length).check
      cache.nodes().forEach(check)
      return checked.splice(0)
    }
    assert.strictEqual(search().length, names.length)
    assert.deepStrictEqual(search(), [])
    cache.place(cache.describe(podOf(1, "other")), "b")
    assert.deepStrictEqual(search(), ["b"])
  })

  it("checks all nodes again after more changes than are remembered", () => {
    const cache = new SchedulingCache()
    const known = new KnownChecks()
    const [pod, other] = [podOf(0, "pod"), podOf(1, "other")]
    for (const name of names) cache.setNode(nodeNamed(name, { cpu: "50m" }))
    assert.deepStrictEqual(found(pod, cache, known).feasible, [])
    cache.setNode(nodeNamed("b", { cpu: "4" }))
    for (let change = 0; change < 3000; change++) cache.place(cache.describe(other), change % 2 === 0 ? "a" : "c")
    assert.deepStrictEqual(found(pod, cache, known).feasible, ["b"])
  })
})
