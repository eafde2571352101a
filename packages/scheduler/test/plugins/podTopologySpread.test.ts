import type { Node, Pod, PodSpec, TopologySpreadConstraint } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import type { SchedulingCache } from "../../src/index.ts"
import { podTopologySpreadWith } from "../../src/plugins/PodTopologySpread.ts"
import { podTopologySpreadScoreWith } from "../../src/plugins/PodTopologySpreadScore.ts"
import { podTopologySpread, podTopologySpreadScore } from "../../src/rules.ts"
import {
  allowedNodes,
  cacheOf,
  filterResults,
  hintOf,
  hostname,
  type NodeParts,
  nodeOf,
  nodeUpdate,
  noPodChange,
  placePod,
  podOf,
  podOnNode,
  scoresOf,
  unrelatedEvent,
  zoneKey
} from "./pluginTest.ts"

const webLabels = { app: "web" }
const deletedMetadata = { deletionTimestamp: "2026-01-01T00:00:00Z" }
const taints = [{ key: "k", effect: "NoSchedule" } as const]

const constraint = (more: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: zoneKey,
  whenUnsatisfiable: "DoNotSchedule",
  labelSelector: { matchLabels: webLabels },
  ...more
})

const softConstraint = (more: Partial<TopologySpreadConstraint> = {}) =>
  constraint({ whenUnsatisfiable: "ScheduleAnyway", ...more })

const podWithConstraints = (
  topologySpreadConstraints: ReadonlyArray<TopologySpreadConstraint>,
  spec: Partial<PodSpec> = {},
  labels: Record<string, string> = webLabels
): Pod => podOf("p", { topologySpreadConstraints, ...spec }, {}, { labels })

const nodeInZone = (name: string, zone: string, spec?: Node["spec"]) =>
  nodeOf(name, { labels: { [zoneKey]: zone }, ...(spec === undefined ? {} : ({ spec } satisfies NodeParts)) })

/** Puts so many pods on each node. */
const placePods = (
  cache: SchedulingCache,
  counts: Record<string, number>,
  labels: Record<string, string> = webLabels,
  metadata: Partial<Pod["metadata"]> = {}
): SchedulingCache => {
  for (const [node, count] of Object.entries(counts)) {
    for (let index = 0; index < count; index++) {
      const name = `${node}-${index}-${Object.values({ ...labels, ...metadata }).join("-")}`
      placePod(cache, node, podOf(name, {}, {}, { labels, ...metadata }))
    }
  }
  return cache
}

const CONSTRAINT_MISMATCH = "node(s) didn't match pod topology spread constraints"
const MISSING_LABEL = `${CONSTRAINT_MISMATCH} (missing required label)`

// Upstream: podtopologyspread/filtering.go; count + 1 if the pod matches itself - least <= maxSkew.
describe("PodTopologySpread, hard", () => {
  const nodes = () => [
    nodeInZone("a1", "a"),
    nodeInZone("a2", "a"),
    nodeInZone("b1", "b"),
    nodeInZone("c1", "c"),
    nodeOf("none")
  ]

  it("allows only domains that have at most maxSkew more pods than the smallest, with the pod", () => {
    const cache = placePods(cacheOf(...nodes()), { a1: 1, a2: 1, b1: 1, c1: 1 })
    const all = { a1: undefined, a2: undefined, b1: undefined, c1: undefined, none: MISSING_LABEL }
    assert.deepStrictEqual(filterResults(podTopologySpread, cache, podWithConstraints([constraint()])), {
      ...all,
      a1: CONSTRAINT_MISMATCH,
      a2: CONSTRAINT_MISMATCH
    })
    assert.deepStrictEqual(
      filterResults(podTopologySpread, cache, podWithConstraints([constraint({ maxSkew: 2 })])),
      all
    )
    // One that its own selector does not match adds nothing.
    assert.deepStrictEqual(filterResults(podTopologySpread, cache, podWithConstraints([constraint()], {}, {})), all)
  })

  it("reports that preemption could help where the skew is too large, and nowhere else", () => {
    const cache = placePods(cacheOf(...nodes()), { a1: 2 })
    const prepared = podTopologySpread.prepare(cache.describe(podWithConstraints([constraint()])), cache)
    assert(prepared._tag === "Check")
    assert.deepStrictEqual(Object.fromEntries(cache.nodes().map((node) => [node.name, prepared.check(node)?.code])), {
      a1: "Unschedulable",
      a2: "Unschedulable",
      b1: undefined,
      c1: undefined,
      none: "UnschedulableAndUnresolvable"
    })
  })

  it("skips pods without hard constraints", () => {
    assert.strictEqual(filterResults(podTopologySpread, cacheOf(...nodes()), podOf("p")), "Skip")
    assert.strictEqual(
      filterResults(podTopologySpread, cacheOf(...nodes()), podWithConstraints([softConstraint()])),
      "Skip"
    )
    assert.strictEqual(filterResults(podTopologySpread, cacheOf(...nodes()), podWithConstraints([])), "Skip")
  })

  it("counts pods of its namespace that the selector matches and that are not being deleted", () => {
    const cache = cacheOf(nodeInZone("a", "a"), nodeInZone("b", "b"))
    placePods(cache, { a: 1 }, { app: "db" })
    placePods(cache, { a: 1 }, webLabels, { namespace: "other" })
    placePods(cache, { a: 1 }, webLabels, deletedMetadata)
    assert.deepStrictEqual(allowedNodes(podTopologySpread, cache, podWithConstraints([constraint()])), ["a", "b"])
    placePods(cache, { a: 1 })
    assert.deepStrictEqual(allowedNodes(podTopologySpread, cache, podWithConstraints([constraint()])), ["b"])
  })

  it("takes the least for 0 while there are fewer domains than minDomains", () => {
    const cache = placePods(cacheOf(nodeInZone("a", "a"), nodeInZone("b", "b")), { a: 1, b: 1 })
    assert.deepStrictEqual(
      allowedNodes(podTopologySpread, cache, podWithConstraints([constraint({ minDomains: 2 })])),
      ["a", "b"]
    )
    assert.deepStrictEqual(
      allowedNodes(podTopologySpread, cache, podWithConstraints([constraint({ minDomains: 3 })])),
      []
    )
    assert.deepStrictEqual(
      allowedNodes(podTopologySpread, cache, podWithConstraints([constraint({ minDomains: 3, maxSkew: 2 })])),
      ["a", "b"]
    )
  })

  it("counts only nodes that the pod's affinity matches, unless nodeAffinityPolicy is Ignore", () => {
    const cache = placePods(cacheOf(nodeInZone("a", "a"), nodeInZone("b", "b"), nodeInZone("c", "c")), { a: 1, b: 1 })
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: zoneKey, operator: "In" as const, values: ["a", "b"] }] }]
        }
      }
    }
    const said = (nodeAffinityPolicy?: "Honor" | "Ignore") =>
      allowedNodes(
        podTopologySpread,
        cache,
        podWithConstraints([constraint(nodeAffinityPolicy === undefined ? {} : { nodeAffinityPolicy })], { affinity })
      )
    // Whether c itself will do is for NodeAffinity to say.
    assert.deepStrictEqual(said(), ["a", "b", "c"])
    assert.deepStrictEqual(said("Honor"), ["a", "b", "c"])
    assert.deepStrictEqual(said("Ignore"), ["c"])
  })

  it("counts nodes with taints that the pod does not tolerate, unless nodeTaintsPolicy is Honor", () => {
    const cache = placePods(cacheOf(nodeInZone("a", "a"), nodeInZone("b", "b", { taints })), { a: 1 })
    const said = (more: Partial<TopologySpreadConstraint>, spec: Partial<PodSpec> = {}) =>
      allowedNodes(podTopologySpread, cache, podWithConstraints([constraint(more)], spec))
    assert.deepStrictEqual(said({}), ["b"])
    assert.deepStrictEqual(said({ nodeTaintsPolicy: "Ignore" }), ["b"])
    assert.deepStrictEqual(said({ nodeTaintsPolicy: "Honor" }), ["a", "b"])
    const tolerations = [{ key: "k", operator: "Exists" as const }]
    assert.deepStrictEqual(said({ nodeTaintsPolicy: "Honor" }, { tolerations }), ["b"])
    // Pods on such a node are not counted either.
    placePods(cache, { b: 2 })
    assert.deepStrictEqual(said({}), ["a"])
    assert.deepStrictEqual(said({ nodeTaintsPolicy: "Honor" }), ["a", "b"])
  })

  it("requires all constraints, and counts no pods on nodes that lack one of their keys", () => {
    const cache = placePods(cacheOf(...nodes()), { a1: 1, b1: 1, c1: 1, none: 5 })
    const both = podWithConstraints([constraint(), constraint({ topologyKey: hostname })])
    // By zone each has one; by host a2 has none.
    assert.deepStrictEqual(filterResults(podTopologySpread, cache, both), {
      a1: CONSTRAINT_MISMATCH,
      a2: undefined,
      b1: CONSTRAINT_MISMATCH,
      c1: CONSTRAINT_MISMATCH,
      none: MISSING_LABEL
    })
    // A node without a zone is no domain of hosts either: its having no pods keeps nothing away.
    const even = placePods(cacheOf(...nodes()), { a1: 1, a2: 1, b1: 1, c1: 1 })
    const hosts = podWithConstraints([constraint({ maxSkew: 9 }), constraint({ topologyKey: hostname })])
    assert.deepStrictEqual(allowedNodes(podTopologySpread, even, hosts), ["a1", "a2", "b1", "c1"])
    const wide = podWithConstraints([constraint({ maxSkew: 9 }), constraint({ topologyKey: hostname, maxSkew: 9 })])
    assert.deepStrictEqual(allowedNodes(podTopologySpread, cache, wide), ["a1", "a2", "b1", "c1"])
  })

  it("counts no pods where the selector selects everything, or nothing", () => {
    const cache = placePods(cacheOf(nodeInZone("a", "a"), nodeInZone("b", "b")), { a: 5 })
    assert.deepStrictEqual(
      allowedNodes(podTopologySpread, cache, podWithConstraints([constraint({ labelSelector: {} })])),
      ["a", "b"]
    )
    const { labelSelector: _, ...none } = constraint()
    assert.deepStrictEqual(allowedNodes(podTopologySpread, cache, podWithConstraints([none])), ["a", "b"])
  })

  it("adds the pod's values of matchLabelKeys to the selector", () => {
    const cache = placePods(cacheOf(nodeInZone("a", "a"), nodeInZone("b", "b")), { a: 1 }, { ...webLabels, rev: "1" })
    const of = (rev: string, more: Partial<TopologySpreadConstraint>) =>
      allowedNodes(podTopologySpread, cache, podWithConstraints([constraint(more)], {}, { ...webLabels, rev }))
    const matchLabelKeys = ["rev", "none"]
    assert.deepStrictEqual(of("1", { matchLabelKeys }), ["b"])
    assert.deepStrictEqual(of("2", { matchLabelKeys }), ["a", "b"])
    // Pods with the same value that the selector does not match count for nothing.
    placePods(cache, { b: 5 }, { app: "db", rev: "1" })
    assert.deepStrictEqual(of("1", { matchLabelKeys }), ["b"])
    // Without a selector the keys alone select; a pod without any of them selects nothing.
    const { labelSelector: _, ...bare } = constraint({ matchLabelKeys })
    const alone = (labels: Record<string, string>, one: TopologySpreadConstraint) =>
      allowedNodes(podTopologySpread, cache, podWithConstraints([one], {}, labels))
    assert.deepStrictEqual(alone({ rev: "1" }, bare), ["a"])
    assert.deepStrictEqual(alone({ rev: "1" }, { ...bare, matchLabelKeys: ["rev"] }), ["a"])
    assert.deepStrictEqual(alone({ rev: "2" }, bare), ["a", "b"])
    assert.deepStrictEqual(alone({ rev: "1" }, { ...bare, matchLabelKeys: ["none"] }), ["a", "b"])
    const nothing = hintOf(podTopologySpread, podWithConstraints([{ ...bare, matchLabelKeys: ["none"] }]))
    assert.isFalse(nothing({ _tag: "AssignedPodDeleted", pod: podOnNode(podOf("q", {}, {}, { labels: webLabels })) }))
  })

  it("spreads pods without constraints by the profile's, among those of their services", () => {
    const plugin = podTopologySpreadWith({
      constraints: [
        { topologyKey: zoneKey, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" },
        { topologyKey: hostname, maxSkew: 1, whenUnsatisfiable: "ScheduleAnyway" }
      ],
      needAllKeys: true
    })
    const cache = placePods(cacheOf(nodeInZone("a", "a"), nodeInZone("b", "b", { taints })), { a: 1 })
    cache.workloads.setService("default", "web", webLabels)
    assert.deepStrictEqual(allowedNodes(plugin, cache, podOf("p", {}, {}, { labels: webLabels })), ["b"])
    assert.strictEqual(filterResults(plugin, cache, podOf("p", {}, {}, { labels: { app: "db" } })), "Skip")
    assert.strictEqual(filterResults(plugin, cache, podWithConstraints([softConstraint()])), "Skip")
    // The pod's affinity is honored, taints are not.
    const hint = hintOf(plugin, podOf("p", {}, {}, { labels: webLabels }), cache)
    assert.isTrue(hint({ _tag: "AssignedPodDeleted", pod: podOnNode(podOf("q", {}, {}, { labels: webLabels })) }))
    assert.isFalse(hint({ _tag: "AssignedPodDeleted", pod: podOnNode(podOf("q", {}, {}, { labels: { app: "db" } })) }))
    const pinned = podOf("p", { nodeSelector: { [zoneKey]: "a" } }, {}, { labels: webLabels })
    assert.deepStrictEqual(allowedNodes(plugin, cache, pinned), ["a", "b"])
    assert.strictEqual(filterResults(podTopologySpread, cache, podOf("p", {}, {}, { labels: webLabels })), "Skip")
  })
})

// Upstream: podtopologyspread/scoring.go; each pod counts ln(domains + 2), each constraint maxSkew - 1 besides.
describe("PodTopologySpread, soft", () => {
  it("scores domains by how few matching pods they have, and nodes without the key 0", () => {
    const cache = cacheOf(nodeInZone("a1", "a"), nodeInZone("a2", "a"), nodeInZone("b1", "b"), nodeOf("none"))
    assert.deepStrictEqual(scoresOf(podTopologySpreadScore, cache, podWithConstraints([softConstraint()])), {
      a1: 100,
      a2: 100,
      b1: 100,
      none: 0
    })
    placePods(cache, { a1: 1, a2: 1, b1: 1, none: 9 })
    placePods(cache, { b1: 9 }, { app: "db" })
    placePods(cache, { b1: 9 }, webLabels, deletedMetadata)
    // 2 and 1 times ln 4, rounded: 3 and 1.
    assert.deepStrictEqual(scoresOf(podTopologySpreadScore, cache, podWithConstraints([softConstraint()])), {
      a1: 33,
      a2: 33,
      b1: 100,
      none: 0
    })
    // 3 + 4 and 1 + 4.
    assert.deepStrictEqual(
      scoresOf(podTopologySpreadScore, cache, podWithConstraints([softConstraint({ maxSkew: 5 })])),
      {
        a1: 71,
        a2: 71,
        b1: 100,
        none: 0
      }
    )
    assert.isFalse(scoresOf(podTopologySpreadScore, cache, podWithConstraints([constraint()])))
    assert.isFalse(scoresOf(podTopologySpreadScore, cache, podOf("p")))
  })

  it("counts by node where the key is the host's name", () => {
    const cache = placePods(cacheOf(nodeOf("a"), nodeOf("b"), nodeOf("c")), { a: 3, b: 1 })
    // 3 and 1 times ln 5, rounded: 5, 2 and 0.
    assert.deepStrictEqual(
      scoresOf(podTopologySpreadScore, cache, podWithConstraints([softConstraint({ topologyKey: hostname })])),
      {
        a: 0,
        b: 60,
        c: 100
      }
    )
    // All count, whatever the inclusion policies say of their node.
    const honoring = softConstraint({ topologyKey: hostname, nodeTaintsPolicy: "Honor" })
    cache.setNode(nodeOf("a", { spec: { taints } }))
    assert.deepStrictEqual(scoresOf(podTopologySpreadScore, cache, podWithConstraints([honoring])), {
      a: 0,
      b: 60,
      c: 100
    })
  })

  it("sums over constraints, and leaves out nodes that lack one of the keys", () => {
    const cache = placePods(
      cacheOf(nodeInZone("a1", "a"), nodeInZone("a2", "a"), nodeInZone("b1", "b"), nodeOf("none")),
      {
        a1: 2,
        b1: 1,
        none: 4
      }
    )
    const both = podWithConstraints([softConstraint(), softConstraint({ topologyKey: hostname })])
    // By zone 2 and 1 times ln 4, by host 2, 0 and 1 times ln 5: 6, 3 and 3.
    assert.deepStrictEqual(scoresOf(podTopologySpreadScore, cache, both), { a1: 50, a2: 100, b1: 100, none: 0 })
  })

  it("counts pods only on nodes that the inclusion policies and the keys let in", () => {
    const cache = cacheOf(nodeInZone("a1", "a"), nodeInZone("a2", "a", { taints }), nodeInZone("b1", "b"))
    placePods(cache, { a2: 2, b1: 1 })
    const scored = (one: TopologySpreadConstraint, spec: Partial<PodSpec> = {}) =>
      scoresOf(podTopologySpreadScore, cache, podWithConstraints([one], spec))
    assert.deepStrictEqual(scored(softConstraint()), { a1: 33, a2: 33, b1: 100 })
    assert.deepStrictEqual(scored(softConstraint({ nodeTaintsPolicy: "Honor" })), { a1: 100, a2: 100, b1: 0 })
    const nodeSelector = { [hostname]: "a1" }
    assert.deepStrictEqual(scored(softConstraint(), { nodeSelector }), { a1: 100, a2: 100, b1: 100 })
    assert.deepStrictEqual(scored(softConstraint({ nodeAffinityPolicy: "Ignore" }), { nodeSelector }), {
      a1: 33,
      a2: 33,
      b1: 100
    })
  })

  it("counts pods on nodes that are no candidates, in the domains of those that are", () => {
    const cache = placePods(
      cacheOf(nodeInZone("a1", "a"), nodeInZone("a2", "a"), nodeInZone("b1", "b"), nodeInZone("c1", "c")),
      {
        a2: 2,
        b1: 1,
        c1: 7
      }
    )
    const candidates = cache.nodes().filter(({ name }) => name === "a1" || name === "b1")
    const scores: Array<number> = []
    podTopologySpreadScore.score(cache.describe(podWithConstraints([softConstraint()])), candidates, cache, scores)
    assert.deepStrictEqual(candidates.map(({ name }, index) => [name, scores[index]]).sort(), [
      ["a1", 33],
      ["b1", 100]
    ])
  })

  it("spreads the pods of a service over hosts and zones by itself, and leaves nodes without a zone in", () => {
    const cache = placePods(
      cacheOf(nodeInZone("a1", "a"), nodeInZone("a2", "a"), nodeInZone("b1", "b"), nodeOf("none")),
      {
        a1: 2,
        b1: 1
      }
    )
    cache.workloads.setService("default", "web", webLabels)
    const pod = podOf("p", {}, {}, { labels: webLabels })
    // Hosts: 2, 0, 1 and 0 times ln 6, + 2; zones, the lack of one being one: 2, 2 and 1 times ln 5, + 4: 13, 9, 9, 2.
    assert.deepStrictEqual(scoresOf(podTopologySpreadScore, cache, pod), { a1: 15, a2: 46, b1: 46, none: 100 })
    // Pods on a node without a zone count for that node alone: 2 times ln 6, + 2, is 6.
    placePods(cache, { none: 2 })
    assert.deepStrictEqual(scoresOf(podTopologySpreadScore, cache, pod), { a1: 46, a2: 76, b1: 76, none: 100 })
    // Each node is a host, with a name or without: 4 times ln 6, + 2, is 9; 2 without pods, and 0 without a name.
    const unnamed = ["x", "y"].map((name) => ({ ...nodeOf(name), metadata: { name } }))
    const hosts = placePods(cacheOf(nodeOf("a"), nodeOf("b"), ...unnamed), { a: 4 })
    hosts.workloads.setService("default", "web", webLabels)
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
    hintOf(podTopologySpread, podWithConstraints([constraint(more)]))
  const other = (labels: Record<string, string> = webLabels, metadata: Partial<Pod["metadata"]> = {}) =>
    podOnNode(podOf("q", {}, {}, { labels, ...metadata }))
  const waiting = podWithConstraints([constraint()])

  it("accepts added and deleted nodes with its keys", () => {
    for (const _tag of ["NodeAdded", "NodeDeleted"] as const) {
      assert.isTrue(hint()({ _tag, node: nodeInZone("n", "a") }))
      assert.isFalse(hint()({ _tag, node: nodeOf("n") }))
      const { labels: _, ...metadata } = nodeOf("n").metadata
      assert.isFalse(hint()({ _tag, node: { ...nodeOf("n"), metadata } }))
    }
    const both = hintOf(podTopologySpread, podWithConstraints([constraint(), constraint({ topologyKey: "rack" })]))
    assert.isFalse(both({ _tag: "NodeAdded", node: nodeInZone("n", "a") }))
  })

  it("accepts nodes that change, get or lose its topology keys, or change their taints", () => {
    const labelled = nodeOf("n", { labels: { [zoneKey]: "a", more: "x" } })
    assert.isTrue(hint()(nodeUpdate(nodeOf("n"), nodeInZone("n", "a"))))
    assert.isTrue(hint()(nodeUpdate(nodeInZone("n", "a"), nodeOf("n"))))
    assert.isTrue(hint()(nodeUpdate(nodeInZone("n", "a"), nodeInZone("n", "b"))))
    assert.isTrue(hint()(nodeUpdate(nodeInZone("n", "a", { taints }), nodeInZone("n", "a"))))
    assert.isFalse(hint()(nodeUpdate(nodeInZone("n", "a"), labelled)))
    assert.isFalse(hint()(nodeUpdate(nodeOf("n", { spec: { taints } }), nodeOf("n"))))
    const conditions = [{ type: "Ready", status: "True" as const }]
    assert.isFalse(hint()(nodeUpdate(nodeInZone("n", "a"), { ...nodeInZone("n", "a"), status: { conditions } })))
  })

  it("accepts pods on nodes of its namespace that it counts, and that come or go", () => {
    for (const _tag of ["AssignedPodAdded", "AssignedPodDeleted"] as const) {
      assert.isTrue(hint()({ _tag, pod: other() }))
      assert.isFalse(hint()({ _tag, pod: other({ app: "db" }) }))
      assert.isFalse(hint()({ _tag, pod: other(webLabels, { namespace: "other" }) }))
      assert.isFalse(hint()({ _tag, pod: podOnNode(other(), "") }))
      assert.isFalse(hint()({ _tag, pod: podOf("q", {}, {}, { labels: webLabels }) }))
      const { namespace: _, ...metadata } = other().metadata
      assert.isTrue(hint()({ _tag, pod: { ...other(), metadata } }))
    }
  })

  it("accepts pods that it starts or stops counting", () => {
    const relabelled = (before: Pod, pod: Pod, change = true) =>
      hint()({ _tag: "AssignedPodUpdated", before, pod, change: { ...noPodChange, relabelled: change } })
    assert.isTrue(relabelled(other(), other({ app: "db" })))
    assert.isTrue(relabelled(other({ app: "db" }), other()))
    assert.isFalse(relabelled(other(), other({ ...webLabels, more: "x" })))
    assert.isFalse(relabelled(other({ app: "db" }), other({ app: "x" })))
    assert.isFalse(relabelled(podOnNode(other(), ""), podOnNode(other({ app: "db" }), "")))
    assert.isFalse(relabelled(other(), other({ app: "db" }), false))
  })

  it("accepts that the pod itself starts or stops matching, or tolerates more where taints are honored", () => {
    const own = (
      change: Partial<typeof noPodChange>,
      before: Pod = waiting,
      more: Partial<TopologySpreadConstraint> = {}
    ) => hint(more)({ _tag: "UnscheduledPodUpdated", before, pod: waiting, change: { ...noPodChange, ...change } })
    const before = podWithConstraints([constraint()], {}, { app: "db" })
    assert.isTrue(own({ relabelled: true }, before))
    assert.isFalse(own({ relabelled: true }, podWithConstraints([constraint()], {}, { ...webLabels, more: "x" })))
    assert.isFalse(own({ scaledDown: true }, before))
    assert.isFalse(own({ tolerates: true }))
    assert.isTrue(own({ tolerates: true }, waiting, { nodeTaintsPolicy: "Honor" }))
    assert.isFalse(own({ scaledDown: true }, waiting, { nodeTaintsPolicy: "Honor" }))
    assert.isFalse(hint()(unrelatedEvent))
  })

  it("accepts events for any of its constraints", () => {
    const two = podWithConstraints([constraint({ labelSelector: { matchLabels: { app: "db" } } }), constraint()])
    assert.isTrue(hintOf(podTopologySpread, two)({ _tag: "AssignedPodDeleted", pod: other() }))
    const change = { ...noPodChange, relabelled: true }
    assert.isTrue(
      hintOf(podTopologySpread, two)({ _tag: "AssignedPodUpdated", before: other(), pod: other({}), change })
    )
    const keys = podWithConstraints([constraint(), constraint({ topologyKey: hostname })])
    assert.isTrue(hintOf(podTopologySpread, keys)(nodeUpdate(nodeInZone("n", "a"), nodeInZone("n", "b"))))
    const honoring = podWithConstraints([constraint(), constraint({ nodeTaintsPolicy: "Honor" })])
    const tolerates = { ...noPodChange, tolerates: true }
    const pending = { _tag: "UnscheduledPodUpdated", before: honoring, pod: honoring, change: tolerates } as const
    assert.isTrue(hintOf(podTopologySpread, honoring)(pending))
  })
})
