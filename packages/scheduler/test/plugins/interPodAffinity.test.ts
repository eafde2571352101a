import type { Pod, PodAffinityTerm, PodSpec } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import type { SchedulingCache } from "../../src/index.ts"
import { interPodAffinityScoreWith } from "../../src/plugins/InterPodAffinityScore.ts"
import { interPodAffinity, interPodAffinityScore } from "../../src/rules.ts"
import {
  allowedNodes,
  cacheOf,
  filterResults,
  hintOf,
  hostname,
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

type Affinity = NonNullable<PodSpec["affinity"]>

const term = (app: string, topologyKey = zoneKey, more: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  topologyKey,
  labelSelector: { matchLabels: { app } },
  ...more
})

const requiredAffinity = (...terms: ReadonlyArray<PodAffinityTerm>): Affinity => ({
  podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms }
})

const requiredAntiAffinity = (...terms: ReadonlyArray<PodAffinityTerm>): Affinity => ({
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms }
})

const weightedTerm = (weight: number, podAffinityTerm: PodAffinityTerm) => ({ weight, podAffinityTerm })

const pod = (
  name: string,
  affinity: Affinity | undefined,
  labels: Record<string, string> = {},
  metadata: Partial<Pod["metadata"]> = {}
): Pod => podOf(name, affinity === undefined ? {} : { affinity }, {}, { labels, ...metadata })

/** Nodes a1 and a2 in zone a, b1 in zone b, and one without a zone. */
const makeZones = () =>
  cacheOf(
    nodeOf("a1", { labels: { [zoneKey]: "a" } }),
    nodeOf("a2", { labels: { [zoneKey]: "a" } }),
    nodeOf("b1", { labels: { [zoneKey]: "b" } }),
    nodeOf("none")
  )

const makeZonesWith = (pods: Record<string, Pod>): SchedulingCache => {
  const cache = makeZones()
  for (const [node, one] of Object.entries(pods)) placePod(cache, node, one)
  return cache
}

const AFFINITY_MISMATCH = "node(s) didn't match pod affinity rules"
const ANTI_AFFINITY_MISMATCH = "node(s) didn't match pod anti-affinity rules"
const EXISTING_ANTI_AFFINITY_MISMATCH = "node(s) didn't satisfy existing pods anti-affinity rules"

describe("InterPodAffinity, required", () => {
  it("skips if neither the pod nor any running pod has affinity terms", () => {
    const cache = makeZonesWith({
      a1: pod("web", requiredAffinity(term("x")), { app: "web" }),
      b1: pod("db", requiredAntiAffinity(term("x")))
    })
    assert.strictEqual(filterResults(interPodAffinity, cache, pod("p", undefined, { app: "p" })), "Skip")
  })

  it("requires a domain with pods that all of its terms match", () => {
    const both = { app: "web", tier: "front" }
    const tier: PodAffinityTerm = { topologyKey: hostname, labelSelector: { matchLabels: { tier: "front" } } }
    const cache = makeZonesWith({ a1: pod("one", undefined, both), b1: pod("two", undefined, { app: "web" }) })
    assert.deepStrictEqual(filterResults(interPodAffinity, cache, pod("p", requiredAffinity(term("web")))), {
      a1: undefined,
      a2: undefined,
      b1: undefined,
      none: AFFINITY_MISMATCH
    })
    assert.deepStrictEqual(allowedNodes(interPodAffinity, cache, pod("p", requiredAffinity(term("web"), tier))), ["a1"])
    assert.deepStrictEqual(allowedNodes(interPodAffinity, cache, pod("p", requiredAffinity(term("db")))), [])
  })

  // Upstream: filtering.go satisfyPodAffinity; a terminating pod is a pod that runs.
  it("allows the first pod of a group with affinity to itself on any node with the topology key", () => {
    const first = pod("p", requiredAffinity(term("p")), { app: "p" })
    assert.deepStrictEqual(allowedNodes(interPodAffinity, makeZones(), first), ["a1", "a2", "b1"])
    assert.deepStrictEqual(
      allowedNodes(interPodAffinity, makeZones(), pod("p", requiredAffinity(term("p")), { app: "other" })),
      []
    )
    const two = pod("p", requiredAffinity(term("p"), term("web")), { app: "p" })
    assert.deepStrictEqual(allowedNodes(interPodAffinity, makeZones(), two), [])
    const racks = cacheOf(
      nodeOf("whole", { labels: { [zoneKey]: "a", rack: "1" } }),
      nodeOf("half", { labels: { rack: "1" } })
    )
    assert.deepStrictEqual(
      allowedNodes(interPodAffinity, racks, pod("p", requiredAffinity(term("p"), term("p", "rack")), { app: "p" })),
      ["whole"]
    )
    const second = makeZonesWith({
      b1: pod("q", undefined, { app: "p" }, { deletionTimestamp: "2026-01-01T00:00:00Z" })
    })
    assert.deepStrictEqual(allowedNodes(interPodAffinity, second, first), ["b1"])
    // Company on a node without the key is in no domain.
    const nowhere = makeZonesWith({ none: pod("q", undefined, { app: "p" }) })
    assert.deepStrictEqual(allowedNodes(interPodAffinity, nowhere, first), ["a1", "a2", "b1"])
  })

  it("excludes the domains of pods that its anti-affinity matches, by each term alone", () => {
    const cache = makeZonesWith({
      a1: pod("one", undefined, { app: "web" }),
      none: pod("two", undefined, { app: "web" })
    })
    assert.deepStrictEqual(filterResults(interPodAffinity, cache, pod("p", requiredAntiAffinity(term("web")))), {
      a1: ANTI_AFFINITY_MISMATCH,
      a2: ANTI_AFFINITY_MISMATCH,
      b1: undefined,
      none: undefined
    })
    const either = pod("p", requiredAntiAffinity(term("web", hostname), term("db")))
    assert.deepStrictEqual(allowedNodes(interPodAffinity, cache, either), ["a2", "b1"])
    assert.strictEqual(filterResults(interPodAffinity, makeZones(), pod("p", undefined)), "Skip")
    assert.deepStrictEqual(allowedNodes(interPodAffinity, makeZones(), either), ["a1", "a2", "b1", "none"])
  })

  it("excludes the domains of pods whose anti-affinity matches the pod", () => {
    const cache = makeZonesWith({
      a1: pod("one", requiredAntiAffinity(term("p")), {}),
      b1: pod("two", requiredAntiAffinity(term("other")), {})
    })
    assert.deepStrictEqual(filterResults(interPodAffinity, cache, pod("p", undefined, { app: "p" })), {
      a1: EXISTING_ANTI_AFFINITY_MISMATCH,
      a2: EXISTING_ANTI_AFFINITY_MISMATCH,
      b1: undefined,
      none: undefined
    })
    // Its own affinity is checked first, then what it avoids, then what avoids it.
    const all = pod(
      "p",
      { ...requiredAffinity(term("one")), ...requiredAntiAffinity(term("p", hostname)) },
      { app: "p" }
    )
    const crowded = makeZonesWith({
      a1: pod("one", requiredAntiAffinity(term("p")), { app: "one" }),
      a2: pod("q", undefined, { app: "p" })
    })
    assert.deepStrictEqual(filterResults(interPodAffinity, crowded, all), {
      a1: EXISTING_ANTI_AFFINITY_MISMATCH,
      a2: ANTI_AFFINITY_MISMATCH,
      b1: AFFINITY_MISMATCH,
      none: AFFINITY_MISMATCH
    })
  })

  it("counts pods of the namespaces that a term names, or of its own", () => {
    const elsewhere = (name: string) => pod(name, undefined, { app: "web" }, { namespace: "other" })
    const cache = makeZonesWith({ a1: elsewhere("one") })
    cache.setNamespace("other", { team: "x" })
    const allowedBy = (more: Partial<PodAffinityTerm>) =>
      allowedNodes(interPodAffinity, cache, pod("p", requiredAffinity(term("web", hostname, more))))
    assert.deepStrictEqual(allowedBy({}), [])
    assert.deepStrictEqual(allowedBy({ namespaces: ["other"] }), ["a1"])
    assert.deepStrictEqual(allowedBy({ namespaceSelector: { matchLabels: { team: "x" } } }), ["a1"])
    assert.deepStrictEqual(allowedBy({ namespaceSelector: { matchLabels: { team: "y" } } }), [])
    const avoids = pod(
      "avoids",
      requiredAntiAffinity(term("p", hostname, { namespaces: ["default"] })),
      {},
      { namespace: "other" }
    )
    placePod(cache, "b1", avoids)
    assert.deepStrictEqual(allowedNodes(interPodAffinity, cache, pod("p", undefined, { app: "p" })), [
      "a1",
      "a2",
      "none"
    ])
  })
})

// Upstream: interpodaffinity/plugin.go isSchedulableAfterPodChange.
describe("InterPodAffinity, as a hint", () => {
  const labelled = (app: string, affinity?: Affinity) => podOnNode(pod("q", affinity, { app }))
  const relabelled = (before: Pod, after: Pod) =>
    ({ _tag: "AssignedPodUpdated", before, pod: after, change: { ...noPodChange, relabelled: true } }) as const

  it("accepts new nodes and new labels of nodes", () => {
    const hint = hintOf(interPodAffinity, pod("p", requiredAffinity(term("web"))))
    assert.isTrue(hint({ _tag: "NodeAdded", node: nodeOf("n") }))
    assert.isTrue(hint(nodeUpdate(nodeOf("n"), nodeOf("n", { labels: { [zoneKey]: "a" } }))))
    assert.isTrue(hint(nodeUpdate(nodeOf("n"), nodeOf("n", { spec: { unschedulable: true } }))))
    assert.isFalse(hint({ _tag: "NodeDeleted", node: nodeOf("n") }))
    assert.isFalse(hint(unrelatedEvent))
  })

  it("accepts pods that are added, or that now match all of its affinity", () => {
    const tier: PodAffinityTerm = { topologyKey: zoneKey, labelSelector: { matchLabels: { tier: "front" } } }
    const hint = hintOf(interPodAffinity, pod("p", requiredAffinity(term("web"), tier)))
    const both = podOnNode(pod("q", undefined, { app: "web", tier: "front" }))
    assert.isTrue(hint({ _tag: "AssignedPodAdded", pod: both }))
    assert.isFalse(hint({ _tag: "AssignedPodAdded", pod: labelled("web") }))
    assert.isFalse(hint({ _tag: "AssignedPodDeleted", pod: both }))
    assert.isTrue(hint(relabelled(labelled("web"), both)))
    assert.isFalse(hint(relabelled(both, labelled("web"))))
    assert.isFalse(hint(relabelled(both, podOnNode(pod("q", undefined, { app: "web", tier: "front", more: "x" })))))
    // A pod without affinity is joined by none.
    assert.isFalse(hintOf(interPodAffinity, pod("p", undefined))({ _tag: "AssignedPodAdded", pod: both }))
    assert.isFalse(
      hintOf(
        interPodAffinity,
        pod("p", requiredAntiAffinity(term("web")))
      )({ _tag: "AssignedPodAdded", pod: labelled("web") })
    )
  })

  it("accepts that a pod which its anti-affinity matched is deleted or relabelled", () => {
    const hint = hintOf(interPodAffinity, pod("p", requiredAntiAffinity(term("web"), term("db"))))
    assert.isTrue(hint({ _tag: "AssignedPodDeleted", pod: labelled("web") }))
    assert.isTrue(hint({ _tag: "AssignedPodDeleted", pod: labelled("db") }))
    assert.isFalse(hint({ _tag: "AssignedPodDeleted", pod: labelled("other") }))
    assert.isFalse(hint({ _tag: "AssignedPodDeleted", pod: podOnNode(labelled("web"), "") }))
    assert.isFalse(hint({ _tag: "AssignedPodDeleted", pod: pod("q", undefined, { app: "web" }) }))
    assert.isTrue(hint(relabelled(labelled("web"), labelled("other"))))
    assert.isFalse(hint(relabelled(labelled("other"), labelled("web"))))
    assert.isFalse(hint(relabelled(labelled("web"), labelled("db"))))
    const { namespace: _, ...metadata } = labelled("web").metadata
    assert.isTrue(hint({ _tag: "AssignedPodDeleted", pod: { ...labelled("web"), metadata } }))
    assert.isFalse(
      hint({ _tag: "AssignedPodDeleted", pod: podOnNode(pod("q", undefined, { app: "web" }, { namespace: "other" })) })
    )
    const { labels: _labels, ...bare } = labelled("web").metadata
    assert.isFalse(hint({ _tag: "AssignedPodDeleted", pod: { ...labelled("web"), metadata: bare } }))
  })

  it("accepts that a pod whose anti-affinity matched it is deleted", () => {
    const hint = hintOf(interPodAffinity, pod("p", undefined, { app: "p" }))
    assert.isTrue(
      hint({ _tag: "AssignedPodDeleted", pod: labelled("q", requiredAntiAffinity(term("other"), term("p"))) })
    )
    assert.isFalse(hint({ _tag: "AssignedPodDeleted", pod: labelled("q", requiredAntiAffinity(term("other"))) }))
    assert.isFalse(hint({ _tag: "AssignedPodDeleted", pod: labelled("q", requiredAffinity(term("p"))) }))
    assert.isFalse(hint({ _tag: "AssignedPodDeleted", pod: labelled("q") }))
  })

  it("accepts a change of its own labels: other pods' anti-affinity may have matched the old ones", () => {
    const waiting = pod("p", undefined, { app: "p" })
    const hint = hintOf(interPodAffinity, waiting)
    const change = (part: Partial<typeof noPodChange>) =>
      hint({ _tag: "UnscheduledPodUpdated", before: waiting, pod: waiting, change: { ...noPodChange, ...part } })
    assert.isTrue(change({ relabelled: true }))
    assert.isFalse(change({ tolerates: true, scaledDown: true }))
  })
})

// Upstream: interpodaffinity/scoring.go; the least becomes 0, the most 100.
describe("InterPodAffinity, preferred", () => {
  const prefers = (...terms: ReadonlyArray<readonly [number, PodAffinityTerm]>): Affinity => ({
    podAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: terms.map(([weight, each]) => weightedTerm(weight, each))
    }
  })
  const dislikes = (...terms: ReadonlyArray<readonly [number, PodAffinityTerm]>): Affinity => ({
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: terms.map(([weight, each]) => weightedTerm(weight, each))
    }
  })
  const web = (name: string) => pod(name, undefined, { app: "web" })

  it("sums the weights of the terms for each pod that they match in the node's domain", () => {
    const cache = makeZonesWith({ a1: web("one"), b1: web("two"), none: web("three") })
    placePod(cache, "a2", pod("four", undefined, { app: "web" }, { deletionTimestamp: "2026-01-01T00:00:00Z" }))
    assert.deepStrictEqual(scoresOf(interPodAffinityScore, cache, pod("p", prefers([10, term("web")]))), {
      a1: 100,
      a2: 100,
      b1: 50,
      none: 0
    })
    // By zone 2, 2, 1, 0 times 10; by host 1 each times 25: 45, 45, 35, 25.
    const two = pod("p", prefers([10, term("web")], [25, term("web", hostname)]))
    assert.deepStrictEqual(scoresOf(interPodAffinityScore, cache, two), { a1: 100, a2: 100, b1: 50, none: 0 })
    placePod(cache, "a1", pod("db", undefined, { app: "db" }))
    // In zone a 2 times 2 and 12, in zone b 2.
    assert.deepStrictEqual(
      scoresOf(interPodAffinityScore, cache, pod("p", prefers([2, term("web")], [12, term("db")]))),
      { a1: 100, a2: 100, b1: 12, none: 0 }
    )
    assert.deepStrictEqual(scoresOf(interPodAffinityScore, cache, pod("p", dislikes([10, term("web")]))), {
      a1: 0,
      a2: 0,
      b1: 50,
      none: 100
    })
  })

  it("scales scores between the lowest and the highest, truncated, and gives all nodes 0 if they are equal", () => {
    const cache = makeZonesWith({ a1: web("one"), a2: web("two"), b1: web("three") })
    placePod(cache, "a2", web("four"))
    // 1, 2, 1, 0 pods by host, 3, 3, 1, 0 by zone.
    assert.deepStrictEqual(scoresOf(interPodAffinityScore, cache, pod("p", prefers([1, term("web")]))), {
      a1: 100,
      a2: 100,
      b1: 33,
      none: 0
    })
    assert.isFalse(scoresOf(interPodAffinityScore, cache, pod("p", prefers([1, term("db")]))))
    // What is in no domain counts for none.
    placePod(cache, "none", pod("db", undefined, { app: "db" }))
    assert.isFalse(scoresOf(interPodAffinityScore, cache, pod("p", prefers([1, term("db")]))))
    placePod(cache, "none", web("five"))
    placePod(cache, "a1", web("six"))
    placePod(cache, "b1", web("seven"))
    placePod(cache, "none", web("eight"))
    assert.deepStrictEqual(scoresOf(interPodAffinityScore, cache, pod("p", prefers([1, term("web", hostname)]))), {
      a1: 0,
      a2: 0,
      b1: 0,
      none: 0
    })
  })

  it("counts the preferred and required terms of running pods that match the new pod", () => {
    const incoming = pod("p", undefined, { app: "p" })
    const scored = (affinity: Affinity, plugin = interPodAffinityScore) =>
      scoresOf(plugin, makeZonesWith({ a1: pod("one", affinity), b1: pod("two", affinity, { app: "two" }) }), incoming)
    const inBoth = { a1: 100, a2: 100, b1: 100, none: 0 }
    assert.deepStrictEqual(scored(prefers([5, term("p")])), inBoth)
    assert.deepStrictEqual(scored(dislikes([5, term("p")])), { a1: 0, a2: 0, b1: 0, none: 100 })
    assert.deepStrictEqual(scored(requiredAffinity(term("p"))), inBoth)
    assert.isFalse(scored(requiredAntiAffinity(term("p"))))
    for (const affinity of [prefers([5, term("x")]), dislikes([5, term("x")]), requiredAffinity(term("x"))]) {
      assert.isFalse(scored(affinity))
    }
    const weigh = (hardPodAffinityWeight: number) =>
      interPodAffinityScoreWith({ hardPodAffinityWeight, ignorePreferredTermsOfExistingPods: false })
    assert.isFalse(scored(requiredAffinity(term("p")), weigh(0)))
    const mixed = makeZonesWith({
      a1: pod("one", prefers([6, term("p")])),
      b1: pod("two", requiredAffinity(term("p")))
    })
    assert.deepStrictEqual(scoresOf(weigh(3), mixed, incoming), { a1: 100, a2: 100, b1: 50, none: 0 })
  })

  it("can ignore existing pods' preferences for a pod without preferences", () => {
    const plugin = interPodAffinityScoreWith({ hardPodAffinityWeight: 1, ignorePreferredTermsOfExistingPods: true })
    const cache = makeZonesWith({ a1: pod("one", prefers([5, term("p")]), { app: "web" }) })
    const labels = { app: "p" }
    assert.isFalse(scoresOf(plugin, cache, pod("p", undefined, labels)))
    assert.isFalse(scoresOf(plugin, cache, pod("p", requiredAffinity(term("web")), labels)))
    const inA = { a1: 100, a2: 100, b1: 0, none: 0 }
    assert.deepStrictEqual(scoresOf(plugin, cache, pod("p", prefers([1, term("x")]), labels)), inA)
    assert.deepStrictEqual(scoresOf(plugin, cache, pod("p", dislikes([1, term("x")]), labels)), inA)
    const both = { ...prefers([1, term("x")]), ...dislikes([1, term("x")]) }
    assert.deepStrictEqual(scoresOf(plugin, cache, pod("p", both, labels)), inA)
  })
})
