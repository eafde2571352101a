import { assert, describe, it } from "@effect/vitest"
import type { Pod } from "@rollcall/api"
import { rngOf } from "@rollcall/time"
import * as fc from "fast-check"
import { Algorithm, defaultProfile, SchedulingCache } from "../src/index.ts"
import { pickBest } from "../src/rules.ts"
import { nodeNamed, podNamed } from "./withScheduler.ts"

const algorithmOver = (cache: SchedulingCache, seed = 1, percentageOfNodesToScore = 0) =>
  new Algorithm(cache, { profile: defaultProfile, percentageOfNodesToScore, random: rngOf(seed) })

const shape = fc.record({
  cpu: fc.integer({ min: 0, max: 2500 }),
  memory: fc.integer({ min: 0, max: 3000 }),
  gpu: fc.integer({ min: 0, max: 2 }),
  tolerant: fc.boolean()
})

const podOf = (
  index: number,
  { cpu, gpu, memory, tolerant }: typeof shape extends fc.Arbitrary<infer A> ? A : never
): Pod => ({
  ...podNamed(`p${index}`),
  spec: {
    containers: [
      { name: "c", resources: { requests: { cpu: `${cpu}m`, memory: `${memory}Mi`, "example.com/gpu": gpu } } }
    ],
    ...(tolerant ? { tolerations: [{ operator: "Exists" }] } : {})
  }
})

const clusterOf = (nodes: ReadonlyArray<{ readonly cpu: number; readonly gpu: number; readonly tainted: boolean }>) => {
  const cache = new SchedulingCache()
  nodes.forEach(({ cpu, gpu, tainted }, index) => {
    const node = nodeNamed(`n${index}`, tainted ? { taints: [{ key: "x", effect: "NoSchedule" }] } : {})
    const allocatable = { cpu: `${cpu}m`, memory: "6Gi", pods: 5, "example.com/gpu": gpu }
    cache.setNode({ ...node, status: { allocatable } })
  })
  return cache
}

const nodes = fc.array(
  fc.record({ cpu: fc.integer({ min: 500, max: 6000 }), gpu: fc.integer({ min: 0, max: 3 }), tainted: fc.boolean() }),
  { minLength: 1, maxLength: 8 }
)

describe("Algorithm", () => {
  it("never puts more on a node than it offers, nor a pod where it must not be", () => {
    fc.assert(
      fc.property(nodes, fc.array(shape, { maxLength: 40 }), fc.integer(), (offers, shapes, seed) => {
        const cache = clusterOf(offers)
        const algorithm = algorithmOver(cache, seed)
        const used = offers.map(() => ({ cpu: 0, memory: 0, gpu: 0, pods: 0 }))
        shapes.forEach((asked, index) => {
          const info = cache.describe(podOf(index, asked))
          const decision = algorithm.schedule(info)
          if (decision._tag === "Unschedulable") {
            assert.match(decision.message, new RegExp(`^0/${offers.length} nodes are available: `))
            assert.isAbove(decision.plugins.length, 0)
            return
          }
          cache.place(info, decision.node)
          const at = Number(decision.node.slice(1))
          const sum = used[at]
          const offer = offers[at]
          if (sum === undefined || offer === undefined) throw new Error(`no such node: ${decision.node}`)
          sum.cpu += asked.cpu
          sum.memory += asked.memory
          sum.gpu += asked.gpu
          sum.pods++
          assert.isAtMost(sum.cpu, offer.cpu)
          assert.isAtMost(sum.memory, 6 * 1024)
          assert.isAtMost(sum.gpu, offer.gpu)
          assert.isAtMost(sum.pods, 5)
          assert.isTrue(asked.tolerant || !offer.tainted)
        })
      }),
      { numRuns: 200 }
    )
  })

  it("predicts a failure only where scheduling the pod fails", () => {
    fc.assert(
      fc.property(nodes, fc.array(shape, { minLength: 1, maxLength: 30 }), (offers, shapes) => {
        const cache = clusterOf(offers)
        const remembering = algorithmOver(cache)
        shapes.forEach((asked, index) => {
          const info = cache.describe(podOf(index, asked))
          const decision = remembering.schedule(info)
          if (decision._tag === "Bind") cache.place(info, decision.node)
          else assert.deepStrictEqual(decision, algorithmOver(cache).schedule(info))
        })
      }),
      { numRuns: 100 }
    )
  })

  it("continues after the last node that it checked, so that all are considered", () => {
    const cache = new SchedulingCache()
    for (let index = 0; index < 300; index++) cache.setNode(nodeNamed(`n${index}`))
    const algorithm = algorithmOver(cache, 1, 40)
    const chosen = new Set<string>()
    for (let index = 0; index < 300; index++) {
      const decision = algorithm.schedule(cache.describe(podNamed(`p${index}`)))
      // Not placed: without turns, equal nodes at the front would win each time.
      if (decision._tag === "Bind") chosen.add(decision.node)
    }
    assert.isAbove(chosen.size, 150)
  })

  it("spreads the replicas of a set over zones and nodes", () => {
    const cache = new SchedulingCache()
    for (let index = 0; index < 9; index++)
      cache.setNode(nodeNamed(`n${index}`, { zone: `z${index < 6 ? index % 2 : 2}` }))
    cache.workloads.setOwner("ReplicaSet", "default", "web", { matchLabels: { app: "web" } })
    const algorithm = algorithmOver(cache)
    const zones = new Map<string, number>()
    const used = new Set<string>()
    for (let index = 0; index < 9; index++) {
      const pod = podNamed(`p${index}`, "100m", {}, { app: "web" })
      const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u", controller: true }
      const info = cache.describe({ ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } })
      const decision = algorithm.schedule(info)
      if (decision._tag !== "Bind") throw new Error(decision.message)
      cache.place(info, decision.node)
      used.add(decision.node)
      const zone = cache.node(decision.node)?.labels["topology.kubernetes.io/zone"] ?? ""
      zones.set(zone, (zones.get(zone) ?? 0) + 1)
    }
    assert.strictEqual(used.size, 9)
    assert.deepStrictEqual([...zones.values()], [3, 3, 3])
  })

  it("breaks ties evenly", () => {
    const random = rngOf(7)
    const counts = [0, 0, 0]
    for (let index = 0; index < 3000; index++) {
      const picked = pickBest([0, 1, 2, 3], [5, 5, 5, 1], random)
      counts[picked ?? 0] = (counts[picked ?? 0] ?? 0) + 1
    }
    for (const count of counts) assert.approximately(count, 1000, 100)
  })
})
