import type { Node, Pod, PodSpec, TopologySpreadConstraint } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import type { SchedulingCache } from "../../src/index.ts"
import { podTopologySpreadWith } from "../../src/plugins/PodTopologySpread.ts"
import { podTopologySpreadScoreWith } from "../../src/plugins/PodTopologySpreadScore.ts"
import { podTopologySpread, podTopologySpreadScore } from "../../src/rules.ts"
import {
  allowed,
  cacheOf,
  hinted,
  hostname,
  type NodeMore,
  nodeOf,
  on,
  place,
  podOf,
  scoresOf,
  unchanged,
  unrelated,
  updated,
  verdicts,
  zoneKey
} from "./pluginTest.ts"

const web = { app: "web" }
const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" }
const taints = [{ key: "k", effect: "NoSchedule" } as const]

const constraint = (more: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: zoneKey,
  whenUnsatisfiable: "DoNotSchedule",
  labelSelector: { matchLabels: web },
  ...more
})

const soft = (more: Partial<TopologySpreadConstraint> = {}) =>
  constraint({ whenUnsatisfiable: "ScheduleAnyway", ...more })

const spreading = (
  topologySpreadConstraints: ReadonlyArray<TopologySpreadConstraint>,
  spec: Partial<PodSpec> = {},
  labels: Record<string, string> = web
): Pod => podOf("p", { topologySpreadConstraints, ...spec }, {}, { labels })

const inZone = (name: string, zone: string, spec?: Node["spec"]) =>
  nodeOf(name, { labels: { [zoneKey]: zone }, ...(spec === undefined ? {} : ({ spec } satisfies NodeMore)) })

/** Puts so many pods on each node. */
const fill = (
  cache: SchedulingCache,
  counts: Record<string, number>,
  labels: Record<string, string> = web,
  metadata: Partial<Pod["metadata"]> = {}
): SchedulingCache => {
  for (const [node, count] of Object.entries(counts)) {
    for (let index = 0; index < count; index++) {
      const name = `${node}-${index}-${Object.values({ ...labels, ...metadata }).join("-")}`
      place(cache, node, podOf(name, {}, {}, { labels, ...metadata }))
    }
  }
  return cache
}

const skewed = "node(s) didn't match pod topology spread constraints"
const missing = `${skewed} (missing required label)`

// Upstream: podtopologyspread/filtering.go; count + 1 if the pod matches itself - least <= maxSkew.
describe("PodTopologySpread, hard", () => {
  const nodes = () => [inZone("a1", "a"), inZone("a2", "a"), inZone("b1", "b"), inZone("c1", "c"), nodeOf("none")]

  it("allows only domains that the pod leaves with at most maxSkew more than the least", () => {
    const cache = fill(cacheOf(...nodes()), { a1: 1, a2: 1, b1: 1, c1: 1 })
    const all = { a1: undefined, a2: undefined, b1: undefined, c1: undefined, none: missing }
    assert.deepStrictEqual(verdicts(podTopologySpread, cache, spreading([constraint()])), {
      ...all,
      a1: skewed,
      a2: skewed
    })
    assert.deepStrictEqual(verdicts(podTopologySpread, cache, spreading([constraint({ maxSkew: 2 })])), all)
    // One that its own selector does not match adds nothing.
    assert.deepStrictEqual(verdicts(podTopologySpread, cache, spreading([constraint()], {}, {})), all)
  })

  it("tells preemption that room helps where the skew is at fault, and nowhere else", () => {
    const cache = fill(cacheOf(...nodes()), { a1: 2 })
    const prepared = podTopologySpread.prepare(cache.describe(spreading([constraint()])), cache)
    assert(prepared._tag === "Check")
    assert.deepStrictEqual(Object.fromEntries(cache.nodes().map((node) => [node.name, prepared.check(node)?.code])), {
      a1: "Unschedulable",
      a2: "Unschedulable",
      b1: undefined,
      c1: undefined,
      none: "UnschedulableAndUnresolvable"
    })
  })

  it("has nothing to say without hard constraints", () => {
    assert.strictEqual(verdicts(podTopologySpread, cacheOf(...nodes()), podOf("p")), "Skip")
    assert.strictEqual(verdicts(podTopologySpread, cacheOf(...nodes()), spreading([soft()])), "Skip")
    assert.strictEqual(verdicts(podTopologySpread, cacheOf(...nodes()), spreading([])), "Skip")
  })

  it("counts pods of its namespace that the selector matches and that are not being deleted", () => {
    const cache = cacheOf(inZone("a", "a"), inZone("b", "b"))
    fill(cache, { a: 1 }, { app: "db" })
    fill(cache, { a: 1 }, web, { namespace: "other" })
    fill(cache, { a: 1 }, web, deleted)
    assert.deepStrictEqual(allowed(podTopologySpread, cache, spreading([constraint()])), ["a", "b"])
    fill(cache, { a: 1 })
    assert.deepStrictEqual(allowed(podTopologySpread, cache, spreading([constraint()])), ["b"])
  })

  it("takes the least for 0 while there are fewer domains than minDomains", () => {
    const cache = fill(cacheOf(inZone("a", "a"), inZone("b", "b")), { a: 1, b: 1 })
    assert.deepStrictEqual(allowed(podTopologySpread, cache, spreading([constraint({ minDomains: 2 })])), ["a", "b"])
    assert.deepStrictEqual(allowed(podTopologySpread, cache, spreading([constraint({ minDomains: 3 })])), [])
    assert.deepStrictEqual(allowed(podTopologySpread, cache, spreading([constraint({ minDomains: 3, maxSkew: 2 })])), [
      "a",
      "b"
    ])
  })

  it("looks only at nodes that the pod's affinity matches, unless it is told to ignore it", () => {
    const cache = fill(cacheOf(inZone("a", "a"), inZone("b", "b"), inZone("c", "c")), { a: 1, b: 1 })
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: zoneKey, operator: "In" as const, values: ["a", "b"] }] }]
        }
      }
    }
    const said = (nodeAffinityPolicy?: "Honor" | "Ignore") =>
      allowed(
        podTopologySpread,
        cache,
        spreading([constraint(nodeAffinityPolicy === undefined ? {} : { nodeAffinityPolicy })], { affinity })
      )
    // Whether c itself will do is for NodeAffinity to say.
    assert.deepStrictEqual(said(), ["a", "b", "c"])
    assert.deepStrictEqual(said("Honor"), ["a", "b", "c"])
    assert.deepStrictEqual(said("Ignore"), ["c"])
  })

  it("looks at nodes with taints that the pod does not tolerate, unless it is told to honor them", () => {
    const cache = fill(cacheOf(inZone("a", "a"), inZone("b", "b", { taints })), { a: 1 })
    const said = (more: Partial<TopologySpreadConstraint>, spec: Partial<PodSpec> = {}) =>
      allowed(podTopologySpread, cache, spreading([constraint(more)], spec))
    assert.deepStrictEqual(said({}), ["b"])
    assert.deepStrictEqual(said({ nodeTaintsPolicy: "Ignore" }), ["b"])
    assert.deepStrictEqual(said({ nodeTaintsPolicy: "Honor" }), ["a", "b"])
    const tolerations = [{ key: "k", operator: "Exists" as const }]
    assert.deepStrictEqual(said({ nodeTaintsPolicy: "Honor" }, { tolerations }), ["b"])
    // Pods on such a node are not counted either.
    fill(cache, { b: 2 })
    assert.deepStrictEqual(said({}), ["a"])
    assert.deepStrictEqual(said({ nodeTaintsPolicy: "Honor" }), ["a", "b"])
  })

  it("wants all constraints to hold, and counts nothing on nodes that lack one of their keys", () => {
    const cache = fill(cacheOf(...nodes()), { a1: 1, b1: 1, c1: 1, none: 5 })
    const both = spreading([constraint(), constraint({ topologyKey: hostname })])
    // By zone each has one; by host a2 has none.
    assert.deepStrictEqual(verdicts(podTopologySpread, cache, both), {
      a1: skewed,
      a2: undefined,
      b1: skewed,
      c1: skewed,
      none: missing
    })
    // A node without a zone is no domain of hosts either: its having no pods keeps nothing away.
    const even = fill(cacheOf(...nodes()), { a1: 1, a2: 1, b1: 1, c1: 1 })
    const hosts = spreading([constraint({ maxSkew: 9 }), constraint({ topologyKey: hostname })])
    assert.deepStrictEqual(allowed(podTopologySpread, even, hosts), ["a1", "a2", "b1", "c1"])
    const wide = spreading([constraint({ maxSkew: 9 }), constraint({ topologyKey: hostname, maxSkew: 9 })])
    assert.deepStrictEqual(allowed(podTopologySpread, cache, wide), ["a1", "a2", "b1", "c1"])
  })

  it("counts no pods where the selector selects everything, or nothing", () => {
    const cache = fill(cacheOf(inZone("a", "a"), inZone("b", "b")), { a: 5 })
    assert.deepStrictEqual(allowed(podTopologySpread, cache, spreading([constraint({ labelSelector: {} })])), [
      "a",
      "b"
    ])
    const { labelSelector: _, ...none } = constraint()
    assert.deepStrictEqual(allowed(podTopologySpread, cache, spreading([none])), ["a", "b"])
  })

  it("narrows the selector to the pod's own values of some labels", () => {
    const cache = fill(cacheOf(inZone("a", "a"), inZone("b", "b")), { a: 1 }, { ...web, rev: "1" })
    const of = (rev: string, more: Partial<TopologySpreadConstraint>) =>
      allowed(podTopologySpread, cache, spreading([constraint(more)], {}, { ...web, rev }))
    const matchLabelKeys = ["rev", "none"]
    assert.deepStrictEqual(of("1", { matchLabelKeys }), ["b"])
    assert.deepStrictEqual(of("2", { matchLabelKeys }), ["a", "b"])
    // Pods with the same value that the selector does not match count for nothing.
    fill(cache, { b: 5 }, { app: "db", rev: "1" })
    assert.deepStrictEqual(of("1", { matchLabelKeys }), ["b"])
    // Without a selector the keys alone select; a pod without any of them selects nothing.
    const { labelSelector: _, ...bare } = constraint({ matchLabelKeys })
    const alone = (labels: Record<string, string>, one: TopologySpreadConstraint) =>
      allowed(podTopologySpread, cache, spreading([one], {}, labels))
    assert.deepStrictEqual(alone({ rev: "1" }, bare), ["a"])
    assert.deepStrictEqual(alone({ rev: "1" }, { ...bare, matchLabelKeys: ["rev"] }), ["a"])
    assert.deepStrictEqual(alone({ rev: "2" }, bare), ["a", "b"])
    assert.deepStrictEqual(alone({ rev: "1" }, { ...bare, matchLabelKeys: ["none"] }), ["a", "b"])
    const nothing = hinted(podTopologySpread, spreading([{ ...bare, matchLabelKeys: ["none"] }]))
    assert.isFalse(nothing({ _tag: "AssignedPodDeleted", pod: on(podOf("q", {}, {}, { labels: web })) }))
  })

  it("spreads pods without constraints by the profile's, among those of their services", () => {
    const plugin = podTopologySpreadWith({
      constraints: [
        { topologyKey: zoneKey, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" },
        { topologyKey: hostname, maxSkew: 1, whenUnsatisfiable: "ScheduleAnyway" }
      ],
      needAllKeys: true
    })
    const cache = fill(cacheOf(inZone("a", "a"), inZone("b", "b", { taints })), { a: 1 })
    cache.workloads.setService("default", "web", web)
    assert.deepStrictEqual(allowed(plugin, cache, podOf("p", {}, {}, { labels: web })), ["b"])
    assert.strictEqual(verdicts(plugin, cache, podOf("p", {}, {}, { labels: { app: "db" } })), "Skip")
    assert.strictEqual(verdicts(plugin, cache, spreading([soft()])), "Skip")
    // The pod's affinity is honored, taints are not.
    const hint = hinted(plugin, podOf("p", {}, {}, { labels: web }), cache)
    assert.isTrue(hint({ _tag: "AssignedPodDeleted", pod: on(podOf("q", {}, {}, { labels: web })) }))
    assert.isFalse(hint({ _tag: "AssignedPodDeleted", pod: on(podOf("q", {}, {}, { labels: { app: "db" } })) }))
    const pinned = podOf("p", { nodeSelector: { [zoneKey]: "a" } }, {}, { labels: web })
    assert.deepStrictEqual(allowed(plugin, cache, pinned), ["a", "b"])
    assert.strictEqual(verdicts(podTopologySpread, cache, podOf("p", {}, {}, { labels: web })), "Skip")
  })
})

// Upstream: podtopologyspread/scoring.go; each pod counts ln(domains + 2), each constraint maxSkew - 1 besides.
describe("PodTopologySpread, soft", () => {
  it("scores domains by how few matching pods they have, and nodes without the key 0", () => {
    const cache = cacheOf(inZone("a1", "a"), inZone("a2", "a"), inZone("b1", "b"), nodeOf("none"))
    assert.deepStrictEqual(scoresOf(podTopologySpreadScore, cache, spreading([soft()])), {
      a1: 100,
      a2: 100,
      b1: 100,
      none: 0
    })
    fill(cache, { a1: 1, a2: 1, b1: 1, none: 9 })
    fill(cache, { b1: 9 }, { app: "db" })
    fill(cache, { b1: 9 }, web, deleted)
    // 2 and 1 times ln 4, rounded: 3 and 1.
    assert.deepStrictEqual(scoresOf(podTopologySpreadScore, cache, spreading([soft()])), {
      a1: 33,
      a2: 33,
      b1: 100,
      none: 0
    })
    // 3 + 4 and 1 + 4.
    assert.deepStrictEqual(scoresOf(podTopologySpreadScore, cache, spreading([soft({ maxSkew: 5 })])), {
      a1: 71,
      a2: 71,
      b1: 100,
      none: 0
    })
    assert.isFalse(scoresOf(podTopologySpreadScore, cache, spreading([constraint()])))
    assert.isFalse(scoresOf(podTopologySpreadScore, cache, podOf("p")))
  })

  it("counts by node where the key is the host's name", () => {
    const cache = fill(cacheOf(nodeOf("a"), nodeOf("b"), nodeOf("c")), { a: 3, b: 1 })
    // 3 and 1 times ln 5, rounded: 5, 2 and 0.
    assert.deepStrictEqual(scoresOf(podTopologySpreadScore, cache, spreading([soft({ topologyKey: hostname })])), {
      a: 0,
      b: 60,
      c: 100
    })
    // All count, whatever the inclusion policies say of their node.
    const honoring = soft({ topologyKey: hostname, nodeTaintsPolicy: "Honor" })
    cache.setNode(nodeOf("a", { spec: { taints } }))
    assert.deepStrictEqual(scoresOf(podTopologySpreadScore, cache, spreading([honoring])), { a: 0, b: 60, c: 100 })
  })

  it("sums over constraints, and leaves out nodes that lack one of the keys", () => {
    const cache = fill(cacheOf(inZone("a1", "a"), inZone("a2", "a"), inZone("b1", "b"), nodeOf("none")), {
      a1: 2,
      b1: 1,
      none: 4
    })
    const both = spreading([soft(), soft({ topologyKey: hostname })])
    // By zone 2 and 1 times ln 4, by host 2, 0 and 1 times ln 5: 6, 3 and 3.
    assert.deepStrictEqual(scoresOf(podTopologySpreadScore, cache, both), { a1: 50, a2: 100, b1: 100, none: 0 })
  })

  it("counts pods only on nodes that the inclusion policies and the keys let in", () => {
    const cache = cacheOf(inZone("a1", "a"), inZone("a2", "a", { taints }), inZone("b1", "b"))
    fill(cache, { a2: 2, b1: 1 })
    const scored = (one: TopologySpreadConstraint, spec: Partial<PodSpec> = {}) =>
      scoresOf(podTopologySpreadScore, cache, spreading([one], spec))
    assert.deepStrictEqual(scored(soft()), { a1: 33, a2: 33, b1: 100 })
    assert.deepStrictEqual(scored(soft({ nodeTaintsPolicy: "Honor" })), { a1: 100, a2: 100, b1: 0 })
    const nodeSelector = { [hostname]: "a1" }
    assert.deepStrictEqual(scored(soft(), { nodeSelector }), { a1: 100, a2: 100, b1: 100 })
    assert.deepStrictEqual(scored(soft({ nodeAffinityPolicy: "Ignore" }), { nodeSelector }), {
      a1: 33,
      a2: 33,
      b1: 100
    })
  })

  it("counts pods on nodes that are no candidates, in the domains of those that are", () => {
    const cache = fill(cacheOf(inZone("a1", "a"), inZone("a2", "a"), inZone("b1", "b"), inZone("c1", "c")), {
      a2: 2,
      b1: 1,
      c1: 7
    })
    const candidates = cache.nodes().filter(({ name }) => name === "a1" || name === "b1")
    const scores: Array<number> = []
    podTopologySpreadScore.score(cache.describe(spreading([soft()])), candidates, cache, scores)
    assert.deepStrictEqual(candidates.map(({ name }, index) => [name, scores[index]]).sort(), [
      ["a1", 33],
      ["b1", 100]
    ])
  })

  it("spreads the pods of a service over hosts and zones by itself, and leaves nodes without a zone in", () => {
    const cache = fill(cacheOf(inZone("a1", "a"), inZone("a2", "a"), inZone("b1", "b"), nodeOf("none")), {
      a1: 2,
      b1: 1
    })
    cache.workloads.setService("default", "web", web)
    const pod = podOf("p", {}, {}, { labels: web })
    // Hosts: 2, 0, 1 and 0 times ln 6, + 2; zones, the lack of one being one: 2, 2 and 1 times ln 5, + 4: 13, 9, 9, 2.
    assert.deepStrictEqual(scoresOf(podTopologySpreadScore, cache, pod), { a1: 15, a2: 46, b1: 46, none: 100 })
    // Pods on a node without a zone count for that node alone: 2 times ln 6, + 2, is 6.
    fill(cache, { none: 2 })
    assert.deepStrictEqual(scoresOf(podTopologySpreadScore, cache, pod), { a1: 46, a2: 76, b1: 76, none: 100 })
    // Each node is a host, with a name or without: 4 times ln 6, + 2, is 9; 2 without pods, and 0 without a name.
    const unnamed = ["x", "y"].map((name) => ({ ...nodeOf(name), metadata: { name } }))
    const hosts = fill(cacheOf(nodeOf("a"), nodeOf("b"), ...unnamed), { a: 4 })
    hosts.workloads.setService("default", "web", web)
    assert.deepStrictEqual(scoresOf(podTopologySpreadScore, hosts, pod), { a: 0, b: 77, x: 100, y: 100 })
    const listed = podTopologySpreadScoreWith({
      constraints: [{ topologyKey: zoneKey, maxSkew: 1, whenUnsatisfiable: "ScheduleAnyway" }],
      needAllKeys: true
    })
    assert.deepStrictEqual(scoresOf(listed, cache, pod), { a1: 33, a2: 33, b1: 100, none: 0 })
    assert.isFalse(scoresOf(podTopologySpreadScore, cache, podOf("p", {}, {}, { labels: { app: "db" } })))
  })
})

// Upstream: podtopologyspread/plugin.go isSchedulableAfterPodChange, isSchedulableAfterNodeChange.
describe("PodTopologySpread, as a hint", () => {
  const hint = (more: Partial<TopologySpreadConstraint> = {}) =>
    hinted(podTopologySpread, spreading([constraint(more)]))
  const other = (labels: Record<string, string> = web, metadata: Partial<Pod["metadata"]> = {}) =>
    on(podOf("q", {}, {}, { labels, ...metadata }))
  const waiting = spreading([constraint()])

  it("accepts added and deleted nodes with its keys", () => {
    for (const _tag of ["NodeAdded", "NodeDeleted"] as const) {
      assert.isTrue(hint()({ _tag, node: inZone("n", "a") }))
      assert.isFalse(hint()({ _tag, node: nodeOf("n") }))
      const { labels: _, ...metadata } = nodeOf("n").metadata
      assert.isFalse(hint()({ _tag, node: { ...nodeOf("n"), metadata } }))
    }
    const both = hinted(podTopologySpread, spreading([constraint(), constraint({ topologyKey: "rack" })]))
    assert.isFalse(both({ _tag: "NodeAdded", node: inZone("n", "a") }))
  })

  it("is at nodes that move, get or lose its keys, or change their taints", () => {
    const labelled = nodeOf("n", { labels: { [zoneKey]: "a", more: "x" } })
    assert.isTrue(hint()(updated(nodeOf("n"), inZone("n", "a"))))
    assert.isTrue(hint()(updated(inZone("n", "a"), nodeOf("n"))))
    assert.isTrue(hint()(updated(inZone("n", "a"), inZone("n", "b"))))
    assert.isTrue(hint()(updated(inZone("n", "a", { taints }), inZone("n", "a"))))
    assert.isFalse(hint()(updated(inZone("n", "a"), labelled)))
    assert.isFalse(hint()(updated(nodeOf("n", { spec: { taints } }), nodeOf("n"))))
    const conditions = [{ type: "Ready", status: "True" as const }]
    assert.isFalse(hint()(updated(inZone("n", "a"), { ...inZone("n", "a"), status: { conditions } })))
  })

  it("accepts pods on nodes of its namespace that it counts, and that come or go", () => {
    for (const _tag of ["AssignedPodAdded", "AssignedPodDeleted"] as const) {
      assert.isTrue(hint()({ _tag, pod: other() }))
      assert.isFalse(hint()({ _tag, pod: other({ app: "db" }) }))
      assert.isFalse(hint()({ _tag, pod: other(web, { namespace: "other" }) }))
      assert.isFalse(hint()({ _tag, pod: on(other(), "") }))
      assert.isFalse(hint()({ _tag, pod: podOf("q", {}, {}, { labels: web }) }))
      const { namespace: _, ...metadata } = other().metadata
      assert.isTrue(hint()({ _tag, pod: { ...other(), metadata } }))
    }
  })

  it("accepts pods that it starts or stops counting", () => {
    const relabelled = (before: Pod, pod: Pod, change = true) =>
      hint()({ _tag: "AssignedPodUpdated", before, pod, change: { ...unchanged, relabelled: change } })
    assert.isTrue(relabelled(other(), other({ app: "db" })))
    assert.isTrue(relabelled(other({ app: "db" }), other()))
    assert.isFalse(relabelled(other(), other({ ...web, more: "x" })))
    assert.isFalse(relabelled(other({ app: "db" }), other({ app: "x" })))
    assert.isFalse(relabelled(on(other(), ""), on(other({ app: "db" }), "")))
    assert.isFalse(relabelled(other(), other({ app: "db" }), false))
  })

  it("is when the pod is counted itself or no more, and tolerates more where taints are honored", () => {
    const own = (
      change: Partial<typeof unchanged>,
      before: Pod = waiting,
      more: Partial<TopologySpreadConstraint> = {}
    ) => hint(more)({ _tag: "UnscheduledPodUpdated", before, pod: waiting, change: { ...unchanged, ...change } })
    const before = spreading([constraint()], {}, { app: "db" })
    assert.isTrue(own({ relabelled: true }, before))
    assert.isFalse(own({ relabelled: true }, spreading([constraint()], {}, { ...web, more: "x" })))
    assert.isFalse(own({ scaledDown: true }, before))
    assert.isFalse(own({ tolerates: true }))
    assert.isTrue(own({ tolerates: true }, waiting, { nodeTaintsPolicy: "Honor" }))
    assert.isFalse(own({ scaledDown: true }, waiting, { nodeTaintsPolicy: "Honor" }))
    assert.isFalse(hint()(unrelated))
  })

  it("is for any of its constraints", () => {
    const two = spreading([constraint({ labelSelector: { matchLabels: { app: "db" } } }), constraint()])
    assert.isTrue(hinted(podTopologySpread, two)({ _tag: "AssignedPodDeleted", pod: other() }))
    const change = { ...unchanged, relabelled: true }
    assert.isTrue(
      hinted(podTopologySpread, two)({ _tag: "AssignedPodUpdated", before: other(), pod: other({}), change })
    )
    const keys = spreading([constraint(), constraint({ topologyKey: hostname })])
    assert.isTrue(hinted(podTopologySpread, keys)(updated(inZone("n", "a"), inZone("n", "b"))))
    const honoring = spreading([constraint(), constraint({ nodeTaintsPolicy: "Honor" })])
    const tolerates = { ...unchanged, tolerates: true }
    const pending = { _tag: "UnscheduledPodUpdated", before: honoring, pod: honoring, change: tolerates } as const
    assert.isTrue(hinted(podTopologySpread, honoring)(pending))
  })
})
