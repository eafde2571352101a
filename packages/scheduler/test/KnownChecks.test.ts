import { assert, describe, it } from "@effect/vitest"
import type { Pod, PodSpec } from "@rollcall/api"
import * as fc from "fast-check"
import { podKey } from "../src/cache/PodInfo.ts"
import { defaultProfile, SchedulingCache } from "../src/index.ts"
import { KnownChecks } from "../src/KnownChecks.ts"
import { filterNodes } from "../src/rules.ts"
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

const names = ["a", "b"]

const change = fc.record({
  node: fc.constantFrom(...names),
  does: fc.oneof(
    { weight: 3, arbitrary: fc.constant("search") },
    { weight: 3, arbitrary: fc.constantFrom("place", "remove") },
    fc.constantFrom("taint", "cordon", "label", "resize", "delete")
  ),
  template: fc.oneof({ weight: 4, arbitrary: fc.nat(2) }, fc.nat(templates.length - 1))
})

const podOf = (template: number, uid: string): Pod => ({
  ...podNamed(uid, "1"),
  spec: templates[template] as PodSpec
})

const found = (pod: Pod, cache: SchedulingCache, known?: KnownChecks) => {
  const { feasible, rejected, rejections } = filterNodes(cache.describe(pod), cache, defaultProfile.filters, {
    start: 0,
    nodesToFind: (candidates) => candidates,
    ...(known === undefined ? {} : { known })
  })
  return { feasible: feasible.map(({ name }) => name), rejected: rejected.map(({ name }) => name), rejections }
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
      const check = known.remembering(pod, ({ name }) => void checked.push(name), cache.nodes().length)
      cache.nodes().forEach(check)
      return checked.splice(0)
    }
    assert.strictEqual(search().length, names.length)
    assert.deepStrictEqual(search(), [])
    cache.place(cache.describe(podOf(1, "other")), "b")
    assert.deepStrictEqual(search(), ["b"])
  })
})
