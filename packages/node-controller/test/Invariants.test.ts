import type { Node } from "@rollcall/api"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { NodeLifecycleController } from "../src/index.ts"
import { START_MS, TestCluster, tolerationsFor } from "./TestCluster.ts"

const zones = ["a", "b", "c"]
const END_SECONDS = 900

interface Step {
  readonly at: number
  readonly kind: "silence" | "revive" | "notReady" | "blackout" | "restart"
  readonly zone: string
  /** How many nodes of the zone. */
  readonly count: number
}

const step: fc.Arbitrary<Step> = fc.record({
  at: fc.integer({ min: 20, max: 800 }),
  kind: fc.constantFrom("silence", "silence", "revive", "notReady", "blackout", "restart"),
  zone: fc.constantFrom(...zones),
  count: fc.integer({ min: 1, max: 6 })
})

const plan = fc.record({
  sizes: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 3, maxLength: 3 }),
  steps: fc.array(step, { maxLength: 8 }),
  largeClusterSizeThreshold: fc.constantFrom(3, 50),
  throttled: fc.boolean()
})

interface PassedTaint {
  readonly atMs: number
  readonly zone: string
}

const noExecuteKeys = (cluster: TestCluster, name: string): ReadonlyArray<string> =>
  (cluster.api.node(name).spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute").map(({ key }) => key)

/** Runs a plan; notes when a loop tainted which zone, and when everything was down. */
const run = ({
  largeClusterSizeThreshold,
  sizes,
  steps,
  throttled
}: typeof plan extends fc.Arbitrary<infer A> ? A : never) => {
  const cluster = new TestCluster(
    { largeClusterSizeThreshold, nodeEvictionRate: 0.2, secondaryNodeEvictionRate: 0.05 },
    throttled ? { qps: 20, burst: 30 } : undefined
  )
  const taken: Array<PassedTaint> = []
  const restarts: Array<number> = []
  const leftOver = new Map<string, ReadonlyArray<string>>()
  const allDown: Array<{ readonly atMs: number; readonly entered: boolean }> = []
  const now = () => cluster.time.timers.now()
  const start = () => cluster.start({ allZonesDown: (entered) => allDown.push({ atMs: now(), entered }) })
  const nodesOf = (zone: string, count = 6) =>
    Array.from({ length: Math.min(count, sizes[zones.indexOf(zone)] ?? 0) }, (_, index) => `${zone}-${index}`)
  for (const zone of zones) {
    for (const name of nodesOf(zone)) {
      cluster.addNode(name, zone)
      cluster.addPod(`short-${name}`, name, tolerationsFor(30))
      cluster.addPod(`forever-${name}`, name, tolerationsFor())
    }
  }
  // A NoExecute taint that replaces none of the pair is one that the loop gave.
  cluster.api.intercept = (request) => {
    if (request.verb !== "patch" || request.kind !== "Node") return undefined
    const body = request.body as Node
    const given = body.spec?.taints?.some(({ effect }) => effect === "NoExecute") ?? false
    const carried = cluster.taints(request.name).some((taint) => taint.endsWith("NoExecute"))
    const refused = body.metadata.resourceVersion !== cluster.api.node(request.name).metadata.resourceVersion
    // After a restart the first pass still sees what it has just taken off, and exchanges it without asking the bucket.
    const left = leftOver.get(request.name)
    const exchanged =
      left !== undefined && !body.spec?.taints?.some(({ effect, key }) => effect === "NoExecute" && left.includes(key))
    if (given && !carried && !refused) leftOver.delete(request.name)
    if (given && !carried && !refused && !exchanged) taken.push({ atMs: now(), zone: request.name.charAt(0) })
    return undefined
  }
  start()
  for (const { at, count, kind, zone } of steps.toSorted((left, right) => left.at - right.at)) {
    cluster.runTo(at)
    const names = nodesOf(zone, count)
    if (kind === "silence") cluster.silence(...names)
    else if (kind === "revive") cluster.revive(...names)
    else if (kind === "blackout") cluster.silence(...zones.flatMap((name) => nodesOf(name)))
    else if (kind === "notReady") for (const name of names) cluster.postStatus(name, "False")
    else {
      for (const name of cluster.tainted()) leftOver.set(name, noExecuteKeys(cluster, name))
      cluster.stop()
      restarts.push(now())
      allDown.push({ atMs: now(), entered: false })
      start()
    }
  }
  cluster.runTo(END_SECONDS)
  return { cluster, taken, restarts, allDown }
}

describe("whatever happens to a cluster", () => {
  it("keeps every invariant", () => {
    fc.assert(
      fc.property(plan, (given) => {
        const { allDown, restarts, taken, cluster } = run(given)

        // No zone gets more taints than its bucket has tokens: one at once, then one each 5 s; a conflict or a throttled
        // request may put a taint off by a second or two, and each controller begins with a full bucket.
        for (const zone of zones) {
          const of = taken.filter((taint) => taint.zone === zone)
          for (const [index, first] of of.entries()) {
            for (const [ahead, last] of of.slice(index).entries()) {
              const began = restarts.filter((at) => at > first.atMs && at <= last.atMs).length
              const tokens = 1 + began + ((last.atMs - first.atMs + 2500) / 1000) * 0.2
              assert.isAtMost(ahead + 1, Math.floor(tokens), `${zone} at ${(last.atMs - START_MS) / 1000} s`)
            }
          }
        }

        // No taint while everything is down, but for one a zone that was under way.
        for (const [index, { atMs, entered }] of allDown.entries()) {
          if (!entered) continue
          const until = allDown[index + 1]?.atMs ?? Number.POSITIVE_INFINITY
          for (const zone of zones) {
            const strays = taken.filter((taint) => taint.zone === zone && taint.atMs > atMs && taint.atMs < until)
            assert.isAtMost(strays.length, 1)
            assert.isTrue(strays.every((taint) => taint.atMs < atMs + 2500))
          }
        }

        // Nobody who tolerates for ever is asked to go.
        assert.deepStrictEqual(
          Object.keys(cluster.deletions()).filter((pod) => pod.startsWith("forever")),
          []
        )
        // What the controller says of itself agrees with what it did.
        const counted = [...cluster.get(NodeLifecycleController).zoneMetrics().values()]
        const since = restarts.at(-1) ?? 0
        const evictions = counted.reduce((sum, zone) => sum + zone.evictions, 0)
        assert.isAtLeast(evictions, taken.filter(({ atMs }) => atMs > since + 3000).length)
      }),
      { numRuns: 60 }
    )
  })

  it("is deterministic", () => {
    fc.assert(
      fc.property(plan, (given) => {
        const told = () => {
          const { taken, cluster } = run(given)
          return { taken, events: cluster.api.events, log: cluster.reports, deletions: cluster.deletions() }
        }
        assert.deepStrictEqual(told(), told())
      }),
      { numRuns: 10 }
    )
  })
})
