import { assert, describe, it } from "@effect/vitest"
import type { Pod } from "@rollcall/api"
import * as fc from "fast-check"
import { type NodeInfo, SchedulingCache } from "../src/index.ts"
import { ListedPods } from "../src/ListedPods.ts"
import { nodeNamed, podNamed } from "./withScheduler.ts"

const sumsOf = (node: NodeInfo | undefined) =>
  node === undefined
    ? undefined
    : { cpu: node.requestedCpu, nonZero: node.nonZeroMemory, scalars: [...node.requestedScalars], pods: node.pods.size }

const podOf = (pod: number, variant: number) => ({
  ...podNamed(`p${pod}`, `${100 * (variant + 1)}m`, {}, { app: `a${variant}` }),
  spec: {
    containers: [{ name: "c", resources: { requests: { cpu: `${100 * (variant + 1)}m`, "example.com/gpu": variant } } }]
  }
})

/** A template of pods, whose parts they share, and the pods of it on nodes in turn. */
const replicas = (count: number, template: { readonly spec: Pod["spec"]; readonly labels: Record<string, string> }) =>
  Array.from({ length: count }, (_, index) => {
    const pod = podNamed(`${template.labels.app}-${index}`)
    const metadata = { ...pod.metadata, labels: template.labels }
    return { ...pod, metadata, spec: { ...template.spec, nodeName: `n${index % 3}` } } as Pod
  })

describe("SchedulingCache", () => {
  it("has the same of pods that are described late", () => {
    const plain = { containers: [{ name: "c", resources: { requests: { cpu: "100m", "example.com/gpu": "2" } } }] }
    const ports = { containers: [{ name: "c", ports: [{ containerPort: 80, hostPort: 80 }] }], priority: 7 }
    const claims = { ...plain, volumes: [{ name: "v", persistentVolumeClaim: { claimName: "claim" } }] }
    const sets = [plain, ports, claims].map((spec, index) => replicas(9, { spec, labels: { app: `a${index}` } }))
    const others = [{ priority: 3 }, { affinity: { podAntiAffinity: {} } }, { initContainers: plain.containers }]
    const variants = others.map((other, index) => ({
      ...(sets[0]?.[index] as Pod),
      ...{ metadata: { name: `v${index}`, namespace: "default", labels: sets[0]?.[0]?.metadata.labels } },
      ...{ spec: { ...plain, ...other, nodeName: "n1" } }
    })) as ReadonlyArray<Pod>
    const pods = [...sets.flat(), ...variants]
    const [late, early] = [new SchedulingCache(), new SchedulingCache()]
    const listed = new ListedPods(late, { handleError: (_, error) => assert.fail(String(error)) })
    for (const cache of [late, early]) for (const name of ["n0", "n1", "n2"]) cache.setNode(nodeNamed(name))
    for (const pod of pods) listed.add(pod)
    listed.place()
    for (const pod of pods) early.place(early.describe(pod), pod.spec.nodeName ?? "")
    const countsOf = (cache: SchedulingCache) => ({
      pods: cache.podCount,
      nodes: cache.nodes().map(({ nonZeroCpu, podCount, requestedCpu, requestedScalars }) => {
        return { nonZeroCpu, podCount, requestedCpu, requestedScalars: [...requestedScalars] }
      }),
      priorities: [0, 1, 4, 8].map((priority) => cache.hasPriorityBelow(priority)),
      classes: [...cache.classes.matching("all", () => true)].map(({ key, nodes }) => [key, [...nodes.values()]])
    })
    const readPods = (cache: SchedulingCache) => cache.nodes().map((node) => [...node.pods].map(({ key }) => key))
    assert.deepStrictEqual(countsOf(late), countsOf(early))
    const gone = pods.filter((_, index) => index % 2 === 0)
    for (const pod of gone) {
      assert.isTrue(early.removePod(pod))
      assert.isTrue(late.removePod(pod))
    }
    assert.deepStrictEqual(countsOf(late), countsOf(early))
    assert.deepStrictEqual(readPods(late), readPods(early))
    for (const pod of pods) assert.strictEqual(late.placement(pod)?.info.pod, early.placement(pod)?.info.pod)
  })

  it("equals a fresh cache after any sequence of changes", () => {
    const act = fc.record({
      kind: fc.constantFrom("place", "remove", "node", "nodeGone", "zone"),
      pod: fc.integer({ min: 0, max: 5 }),
      node: fc.integer({ min: 0, max: 3 }),
      variant: fc.integer({ min: 0, max: 2 })
    })
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const cache = new SchedulingCache()
        const nodes = new Map<string, ReturnType<typeof nodeNamed>>()
        const places = new Map<number, { readonly node: string; readonly variant: number }>()
        const matching = (of: SchedulingCache) => {
          let count = 0
          const classes = of.classes.matching("a1", ({ labels }) => labels.app === "a1")
          for (const { nodes: counts } of classes) for (const { all } of counts.values()) count += all
          return count
        }
        matching(cache)
        for (const { kind, node, pod, variant } of acts) {
          const name = `n${node}`
          if (kind === "place") {
            cache.place(cache.describe(podOf(pod, variant)), name)
            places.set(pod, { node: name, variant })
          } else if (kind === "remove") {
            assert.strictEqual(cache.remove(`default/p${pod}`), places.delete(pod))
          } else if (kind === "nodeGone") {
            cache.removeNode(name)
            nodes.delete(name)
          } else {
            const made = nodeNamed(name, kind === "zone" ? { zone: `z${variant}` } : {})
            cache.setNode(made)
            nodes.set(name, made)
          }
        }
        const fresh = new SchedulingCache()
        for (const made of nodes.values()) fresh.setNode(made)
        for (const [pod, { node, variant }] of places) fresh.place(fresh.describe(podOf(pod, variant)), node)
        const tidy = (sums: ReturnType<typeof sumsOf>) =>
          sums && { ...sums, scalars: sums.scalars.filter((amount) => amount !== undefined && amount !== 0) }
        for (const name of ["n0", "n1", "n2", "n3"]) {
          assert.deepStrictEqual(tidy(sumsOf(cache.node(name))), tidy(sumsOf(fresh.node(name))))
        }
        assert.strictEqual(matching(cache), matching(fresh))
        assert.deepStrictEqual(
          cache
            .nodes()
            .map(({ name }) => name)
            .sort(),
          fresh
            .nodes()
            .map(({ name }) => name)
            .sort()
        )
        for (const [index, { position }] of cache.nodes().entries()) assert.strictEqual(position, index)
      }),
      { numRuns: 200 }
    )
  })

  it("keeps a pod that is placed twice on a node that is added later", () => {
    const cache = new SchedulingCache()
    for (const _ of [1, 2]) cache.place(cache.describe(podNamed("p")), "n")
    cache.setNode(nodeNamed("n"))
    assert.strictEqual(cache.node("n")?.requestedCpu, 1000)
  })

  it("alternates between zones", () => {
    const cache = new SchedulingCache()
    for (const [name, zone] of [
      ["a1", "a"],
      ["a2", "a"],
      ["a3", "a"],
      ["b1", "b"],
      ["c1", "c"],
      ["c2", "c"]
    ] as const) {
      cache.setNode(nodeNamed(name, { zone }))
    }
    const names = () => cache.nodes().map(({ name }) => name)
    assert.deepStrictEqual(names(), ["a1", "b1", "c1", "a2", "c2", "a3"])
    cache.removeNode("a1")
    assert.deepStrictEqual(names(), ["a2", "b1", "c1", "a3", "c2"])
    cache.setNode(nodeNamed("a2", { zone: "b" }))
    assert.deepStrictEqual(names(), ["a3", "b1", "c1", "a2", "c2"])
  })

  it("ignores heartbeats", () => {
    const cache = new SchedulingCache()
    const node = nodeNamed("n")
    const beat = (lastHeartbeatTime: string, status: "True" | "Unknown" = "True") => ({
      ...node,
      status: { ...node.status, conditions: [{ type: "Ready", status, lastHeartbeatTime }] }
    })
    cache.setNode(beat("2026-01-01T00:00:00Z"))
    const { generation } = cache
    cache.setNode(beat("2026-01-01T00:00:10Z"))
    assert.strictEqual(cache.generation, generation)
    cache.setNode(beat("2026-01-01T00:00:20Z", "Unknown"))
    assert.isAbove(cache.generation, generation)
  })
})
