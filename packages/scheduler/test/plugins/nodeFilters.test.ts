import type { Container, Node, NodeCondition, NodeSelectorTerm, Pod, PodSpec, Taint } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { nodeAffinityScoreWith, nodeAffinityWith } from "../../src/plugins/NodeAffinity.ts"
import { nodeResourcesFitWith } from "../../src/plugins/NodeResourcesFit.ts"
import {
  nodeAffinity,
  nodeAffinityScore,
  nodeCondition,
  nodeDeclaredFeatures,
  nodeName,
  nodePorts,
  nodeResourcesFit,
  nodeUnschedulable,
  taintToleration,
  taintTolerationScore
} from "../../src/rules.ts"
import {
  cacheOf,
  filterResults,
  hintOf,
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

const podWithCpu = (amount: string) => podOf("p", {}, { cpu: amount })
const nodeWithCpu = (amount: string, name = "n") =>
  nodeOf(name, { status: { allocatable: { cpu: amount, pods: "110" } } })
const nodeInZone = (name: string, zone: string) => nodeOf(name, { labels: { [zoneKey]: zone } })
const nodeAdded = (node: Node) => ({ _tag: "NodeAdded", node }) as const
const withAnnotation = (node: Node): Node => ({ ...node, metadata: { ...node.metadata, annotations: { note: "x" } } })

describe("NodeName", () => {
  it("allows only the node that the pod names, and skips pods that name none", () => {
    const cache = cacheOf(nodeOf("a"), nodeOf("b"))
    const mismatch = "node(s) didn't match the requested node name"
    assert.deepStrictEqual(filterResults(nodeName, cache, podOf("p", { nodeName: "b" })), { a: mismatch, b: undefined })
    assert.strictEqual(filterResults(nodeName, cache, podOf("p")), "Skip")
    assert.strictEqual(filterResults(nodeName, cache, podOf("p", { nodeName: "" })), "Skip")
  })

  it("requeues the pod when that node is added", () => {
    const hint = hintOf(nodeName, podOf("p", { nodeName: "b" }))
    assert.isTrue(hint(nodeAdded(nodeOf("b"))))
    assert.isFalse(hint(nodeAdded(nodeOf("a"))))
    assert.isFalse(hint(nodeUpdate(nodeOf("b"), nodeInZone("b", "z"))))
  })
})

describe("NodePorts", () => {
  const open = (name: string, ...ports: NonNullable<Container["ports"]>) =>
    podOf(name, { containers: [{ name: "c", ports }] })
  const web = { hostPort: 80, containerPort: 80 }
  const taken = "node(s) didn't have free ports for the requested pod ports"

  it("allows no node on which a pod has one of the pod's host ports", () => {
    const cache = cacheOf(nodeOf("a"), nodeOf("b"))
    placePod(cache, "a", open("other", { ...web, hostPort: 53 }))
    placePod(cache, "a", open("first", { ...web, hostPort: 8080 }, web))
    const said = (...ports: NonNullable<Container["ports"]>) => filterResults(nodePorts, cache, open("p", ...ports))
    assert.deepStrictEqual(said(web), { a: taken, b: undefined })
    assert.deepStrictEqual(said({ ...web, hostPort: 81 }, web), { a: taken, b: undefined })
    assert.deepStrictEqual(said({ ...web, hostPort: 81 }), { a: undefined, b: undefined })
    assert.deepStrictEqual(said({ ...web, protocol: "UDP" }), { a: undefined, b: undefined })
    assert.strictEqual(said({ containerPort: 80 }), "Skip")
  })

  it("requeues for a new node, and when a pod that had one of the ports is gone", () => {
    const hint = hintOf(nodePorts, open("p", web))
    assert.isTrue(hint(nodeAdded(nodeOf("n"))))
    assert.isTrue(hint({ _tag: "AssignedPodDeleted", pod: podOnNode(open("q", web)) }))
    assert.isFalse(hint({ _tag: "AssignedPodDeleted", pod: podOnNode(open("q", { ...web, hostPort: 81 })) }))
    assert.isFalse(hint({ _tag: "AssignedPodDeleted", pod: podOnNode(open("q")) }))
    assert.isFalse(hint({ _tag: "AssignedPodAdded", pod: podOnNode(open("q", web)) }))
  })
})

describe("NodeUnschedulable", () => {
  const cordoned = nodeOf("closed", { spec: { unschedulable: true } })
  const toleration = { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" } as const

  it("allows a cordoned node only to pods that tolerate it", () => {
    const cache = cacheOf(nodeOf("open"), cordoned)
    assert.deepStrictEqual(filterResults(nodeUnschedulable, cache, podOf("p")), {
      open: undefined,
      closed: "node(s) were unschedulable"
    })
    assert.strictEqual(filterResults(nodeUnschedulable, cache, podOf("p", { tolerations: [toleration] })), "Skip")
    const other = podOf("p", { tolerations: [{ ...toleration, effect: "NoExecute" }] })
    assert.notStrictEqual(filterResults(nodeUnschedulable, cache, other), "Skip")
  })

  it("requeues the pod when a node is uncordoned, and for a new toleration", () => {
    const hint = hintOf(nodeUnschedulable, podOf("p"))
    assert.isTrue(hint(nodeAdded(nodeOf("n"))))
    assert.isFalse(hint(nodeAdded(cordoned)))
    assert.isTrue(hint(nodeUpdate(cordoned, nodeOf("closed"))))
    assert.isFalse(hint(nodeUpdate(nodeOf("closed"), cordoned)))
    assert.isFalse(hint(nodeUpdate(nodeOf("n"), nodeInZone("n", "z"))))
    assert.isFalse(hint(nodeUpdate(cordoned, withAnnotation(cordoned))))
    assert.isFalse(hint(unrelatedEvent))
    const pod = podOf("p")
    assert.isFalse(
      hint({ _tag: "UnscheduledPodUpdated", before: pod, pod, change: { ...noPodChange, relabelled: true } })
    )
    assert.isTrue(
      hint({ _tag: "UnscheduledPodUpdated", before: pod, pod, change: { ...noPodChange, tolerates: true } })
    )
  })
})

describe("TaintToleration", () => {
  const taint = (effect: Taint["effect"], key = "k"): Taint => ({ key, effect })
  const tainted = (name: string, ...taints: ReadonlyArray<Taint>) => nodeOf(name, { spec: { taints } })
  const tolerating = (...tolerations: NonNullable<PodSpec["tolerations"]>) => podOf("p", { tolerations })
  const untolerated = "node(s) had untolerated taint(s)"

  it("allows no node with a taint NoSchedule or NoExecute that the pod does not tolerate", () => {
    const cache = cacheOf(
      nodeOf("clean"),
      tainted("prefer", taint("PreferNoSchedule")),
      tainted("schedule", taint("NoSchedule")),
      tainted("execute", taint("PreferNoSchedule"), taint("NoExecute")),
      tainted("same", taint("NoSchedule"))
    )
    const said = (...tolerations: NonNullable<PodSpec["tolerations"]>) =>
      filterResults(taintToleration, cache, tolerating(...tolerations))
    const all = { clean: undefined, prefer: undefined, schedule: undefined, execute: undefined, same: undefined }
    assert.deepStrictEqual(said(), { ...all, schedule: untolerated, execute: untolerated, same: untolerated })
    assert.deepStrictEqual(said({ key: "k", operator: "Exists" }), all)
    assert.deepStrictEqual(said({ operator: "Exists", effect: "NoSchedule" }), { ...all, execute: untolerated })
    assert.deepStrictEqual(said({ key: "other", operator: "Exists" }), said())
  })

  it("requeues when a node loses the taint that kept the pod away, and for a new toleration", () => {
    const hint = hintOf(taintToleration, podOf("p"))
    const [clean, kept] = [nodeOf("n"), tainted("n", taint("NoSchedule"))]
    assert.isTrue(hint(nodeAdded(clean)))
    assert.isFalse(hint(nodeAdded(kept)))
    assert.isTrue(hint(nodeUpdate(kept, clean)))
    assert.isTrue(hint(nodeUpdate(kept, tainted("n", taint("PreferNoSchedule")))))
    assert.isFalse(hint(nodeUpdate(clean, kept)))
    assert.isFalse(hint(nodeUpdate(clean, tainted("n", taint("PreferNoSchedule")))))
    assert.isFalse(hint(nodeUpdate(kept, tainted("n", taint("NoExecute")))))
    assert.isFalse(hint(nodeUpdate(clean, withAnnotation(clean))))
    assert.isFalse(hint(unrelatedEvent))
    const pod = podOf("p")
    assert.isTrue(
      hint({ _tag: "UnscheduledPodUpdated", before: pod, pod, change: { ...noPodChange, tolerates: true } })
    )
    assert.isFalse(
      hint({ _tag: "UnscheduledPodUpdated", before: pod, pod, change: { ...noPodChange, scaledDown: true } })
    )
  })

  it("scores nodes by how few taints PreferNoSchedule the pod does not tolerate", () => {
    const prefer = (key: string) => taint("PreferNoSchedule", key)
    const cache = cacheOf(
      nodeOf("none"),
      tainted("one", prefer("a"), taint("NoSchedule", "x")),
      tainted("two", prefer("a"), prefer("b")),
      tainted("hard", taint("NoSchedule"))
    )
    const scored = (...tolerations: NonNullable<PodSpec["tolerations"]>) =>
      scoresOf(taintTolerationScore, cache, tolerating(...tolerations))
    assert.deepStrictEqual(scored(), { none: 100, one: 50, two: 0, hard: 100 })
    assert.deepStrictEqual(scored({ key: "a", operator: "Exists" }), { none: 100, one: 100, two: 0, hard: 100 })
    assert.deepStrictEqual(scored({ key: "b", operator: "Exists", effect: "PreferNoSchedule" }), {
      none: 100,
      one: 0,
      two: 0,
      hard: 100
    })
    assert.deepStrictEqual(scored({ operator: "Exists", effect: "NoSchedule" }), scored())
    assert.deepStrictEqual(scored({ operator: "Exists" }), { none: 100, one: 100, two: 100, hard: 100 })
  })
})

describe("NodeAffinity", () => {
  const zones = (...values: ReadonlyArray<string>): NodeSelectorTerm => ({
    matchExpressions: [{ key: zoneKey, operator: "In", values }]
  })
  const pinned = (...values: ReadonlyArray<string>): NodeSelectorTerm => ({
    matchFields: [{ key: "metadata.name", operator: "In", values }]
  })
  const required = (...nodeSelectorTerms: ReadonlyArray<NodeSelectorTerm>) => ({
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms }
  })
  const requiring = (...terms: ReadonlyArray<NodeSelectorTerm>) =>
    podOf("p", { affinity: { nodeAffinity: required(...terms) } })
  const cache = cacheOf(nodeInZone("a", "a"), nodeInZone("b", "b"))
  const mismatch = "node(s) didn't match Pod's node affinity/selector"
  const enforced = "node(s) didn't match scheduler-enforced node affinity"

  it("allows nodes that the selector and one of the required terms match", () => {
    assert.strictEqual(filterResults(nodeAffinity, cache, podOf("p")), "Skip")
    assert.deepStrictEqual(filterResults(nodeAffinity, cache, requiring(zones("b"))), { a: mismatch, b: undefined })
    assert.deepStrictEqual(filterResults(nodeAffinity, cache, podOf("p", { nodeSelector: { [zoneKey]: "a" } })), {
      a: undefined,
      b: mismatch
    })
  })

  it("allows nodes that match the affinity of the profile and of the pod", () => {
    const plugin = nodeAffinityWith(required(zones("a")))
    assert.deepStrictEqual(filterResults(plugin, cache, podOf("p")), { a: undefined, b: enforced })
    assert.deepStrictEqual(filterResults(plugin, cache, requiring(zones("b"))), { a: mismatch, b: enforced })
  })

  it("names the only feasible nodes of a pod that is pinned to them, and none if its terms contradict each other", () => {
    const prepared = (...terms: ReadonlyArray<NodeSelectorTerm>) =>
      nodeAffinity.prepare(cache.describe(requiring(...terms)), cache)
    const nodes = prepared(pinned("b"), pinned("c"))
    assert.deepStrictEqual(nodes._tag === "Check" ? [...(nodes.nodeNames ?? [])] : nodes, ["b", "c"])
    assert.notProperty(prepared(zones("b")), "nodeNames")
    const [one, other] = [pinned("a"), pinned("b")]
    const both = { matchFields: [...(one.matchFields ?? []), ...(other.matchFields ?? [])] }
    assert.strictEqual(filterResults(nodeAffinity, cache, requiring(both)), "pod affinity terms conflict")
  })

  it("requeues when a node comes to match", () => {
    const hint = hintOf(nodeAffinity, requiring(zones("b")))
    const [a, b] = [nodeInZone("n", "a"), nodeInZone("n", "b")]
    assert.deepStrictEqual([hint(nodeAdded(b)), hint(nodeAdded(a))], [true, false])
    assert.deepStrictEqual([hint(nodeUpdate(a, b)), hint(nodeUpdate(b, a))], [true, false])
    assert.isFalse(hint(nodeUpdate(b, nodeOf("n", { labels: { [zoneKey]: "b", more: "x" } }))))
    assert.isFalse(hint(nodeUpdate(b, withAnnotation(b))))
    assert.isFalse(hint({ _tag: "NodeDeleted", node: b }))
    assert.isFalse(hint(unrelatedEvent))
    const both = hintOf(nodeAffinityWith(required(zones("a"))), requiring(zones("a", "b")))
    assert.deepStrictEqual([both(nodeAdded(a)), both(nodeAdded(b))], [true, false])
    const profileOnly = hintOf(nodeAffinityWith(required(zones("a"))), podOf("p"))
    assert.deepStrictEqual([profileOnly(nodeAdded(a)), profileOnly(nodeAdded(b))], [true, false])
    assert.deepStrictEqual([profileOnly(nodeUpdate(b, a)), profileOnly(nodeUpdate(a, b))], [true, false])
  })

  it("scores the weights of the preferred terms that match, the pod's and the profile's", () => {
    const preferring = (...terms: ReadonlyArray<readonly [number, string]>) => ({
      preferredDuringSchedulingIgnoredDuringExecution: terms.map(([weight, zone]) => ({
        weight,
        preference: zones(zone)
      }))
    })
    const pod = (...terms: ReadonlyArray<readonly [number, string]>) =>
      podOf("p", { affinity: { nodeAffinity: preferring(...terms) } })
    const three = cacheOf(nodeInZone("a", "a"), nodeInZone("b", "b"), nodeOf("none"))
    assert.deepStrictEqual(scoresOf(nodeAffinityScore, three, pod([10, "a"], [20, "b"], [20, "b"])), {
      a: 25,
      b: 100,
      none: 0
    })
    assert.isFalse(scoresOf(nodeAffinityScoreWith(undefined), three, podOf("p", { affinity: { podAffinity: {} } })))
    const plugin = nodeAffinityScoreWith(preferring([30, "a"]))
    assert.deepStrictEqual(scoresOf(plugin, three, podOf("p")), { a: 100, b: 0, none: 0 })
    assert.deepStrictEqual(scoresOf(plugin, three, pod([60, "b"])), { a: 50, b: 100, none: 0 })
    assert.isFalse(scoresOf(nodeAffinityScoreWith(required(zones("a"))), three, podOf("p")))
  })
})

// Upstream until 1.11: pkg/scheduler/algorithm/predicates; 1.4: factory.go, getNodeConditionPredicate.
describe("NodeCondition", () => {
  const withConditions = (...conditions: ReadonlyArray<readonly [string, NodeCondition["status"]]>) =>
    nodeOf("n", { status: { conditions: conditions.map(([type, status]) => ({ type, status })) } })
  const said = (node: Node, pod = podWithCpu("1")) => {
    const verdict = filterResults(nodeCondition, cacheOf(node), pod)
    return typeof verdict === "object" ? verdict.n : verdict
  }

  it("allows no node that is not ready, is out of disk or has no network, known or not", () => {
    for (const bad of ["True", "Unknown"] as const) {
      assert.strictEqual(said(withConditions(["OutOfDisk", bad])), "node(s) were out of disk")
      assert.strictEqual(said(withConditions(["NetworkUnavailable", bad])), "node(s) had unavailable network")
    }
    for (const bad of ["False", "Unknown"] as const) {
      assert.strictEqual(said(withConditions(["OutOfDisk", "True"], ["Ready", bad])), "node(s) were not ready")
    }
    const fine = withConditions(
      ["Ready", "True"],
      ["OutOfDisk", "False"],
      ["NetworkUnavailable", "False"],
      ["X", "True"]
    )
    assert.isUndefined(said(fine))
    assert.isUndefined(said(fine, podOf("p")))
    assert.isUndefined(said(withConditions()))
    const { status: _, ...young } = nodeOf("n")
    assert.isUndefined(said(young))
  })

  it("allows no node under disk pressure, and none under memory pressure to pods without requests", () => {
    const disk = (status: NodeCondition["status"]) => withConditions(["DiskPressure", status])
    const memory = (status: NodeCondition["status"]) => withConditions(["MemoryPressure", status])
    assert.strictEqual(said(disk("True")), "node(s) had disk pressure")
    assert.isUndefined(said(disk("Unknown")))
    assert.strictEqual(said(memory("True"), podOf("p")), "node(s) had memory pressure")
    assert.isUndefined(said(memory("True")))
    assert.isUndefined(said(memory("Unknown"), podOf("p")))
  })

  it("requeues for new nodes, and when conditions change", () => {
    const hint = hintOf(nodeCondition, podOf("p"))
    assert.isTrue(hint(nodeAdded(nodeOf("n"))))
    assert.isTrue(hint(nodeUpdate(withConditions(["Ready", "False"]), withConditions(["Ready", "True"]))))
    assert.isFalse(hint(nodeUpdate(nodeOf("n"), nodeInZone("n", "z"))))
    assert.isFalse(hint(unrelatedEvent))
  })
})

describe("NodeDeclaredFeatures", () => {
  const feature = "RestartAllContainersOnContainerExits"
  const rule = (action: string) => ({ action, exitCodes: { operator: "In", values: [1] } }) as const
  const container = (...actions: ReadonlyArray<string>): Container => ({
    name: "c",
    restartPolicyRules: actions.map(rule) as unknown as NonNullable<Container["restartPolicyRules"]>
  })
  const declaring = (name: string, ...declaredFeatures: ReadonlyArray<string>) =>
    nodeOf(name, { status: { declaredFeatures } })
  const cache = cacheOf(nodeOf("old"), declaring("other", "X"), declaring("new", "X", feature))
  const lacking = "node(s) didn't match Pod's required features"

  it("allows a pod that restarts all its containers only nodes with that feature", () => {
    const expected = { old: lacking, other: lacking, new: undefined }
    const said = (spec: Partial<PodSpec>) => filterResults(nodeDeclaredFeatures, cache, podOf("p", spec))
    const restarts = container("Restart", "RestartAllContainers")
    assert.deepStrictEqual(said({ containers: [{ name: "d" }, restarts] }), expected)
    assert.deepStrictEqual(said({ initContainers: [{ name: "d" }, restarts] }), expected)
    assert.strictEqual(said({ containers: [container("Restart")] }), "Skip")
    assert.strictEqual(said({}), "Skip")
    const { status: _, ...young } = nodeOf("n")
    const pod = podOf("p", { containers: [restarts] })
    assert.deepStrictEqual(filterResults(nodeDeclaredFeatures, cacheOf(young), pod), { n: lacking })
  })

  it("allows a pod on the host network with its own user namespace only nodes with that feature", () => {
    const userNamespaces = "UserNamespacesHostNetworkSupport"
    const nodes = cacheOf(
      declaring("restarts", feature),
      declaring("isolates", userNamespaces),
      declaring("both", feature, userNamespaces)
    )
    const said = (spec: Partial<PodSpec>) => filterResults(nodeDeclaredFeatures, nodes, podOf("p", spec))
    const isolated = { hostNetwork: true, hostUsers: false }
    assert.deepStrictEqual(said(isolated), { restarts: lacking, isolates: undefined, both: undefined })
    for (const spec of [{ hostNetwork: true }, { hostUsers: false }, { hostNetwork: true, hostUsers: true }]) {
      assert.strictEqual(said(spec), "Skip")
    }
    // A pod that needs two features goes to a node that has both.
    assert.deepStrictEqual(said({ ...isolated, containers: [container("RestartAllContainers")] }), {
      restarts: lacking,
      isolates: lacking,
      both: undefined
    })
  })

  it("requeues the pod for new nodes, and for nodes whose declared features change", () => {
    const hint = hintOf(nodeDeclaredFeatures, podOf("p"))
    assert.isTrue(hint(nodeAdded(nodeOf("n"))))
    assert.isTrue(hint(nodeUpdate(nodeOf("n"), declaring("n", feature))))
    assert.isFalse(hint(nodeUpdate(nodeOf("n"), nodeInZone("n", "z"))))
    assert.isFalse(hint(unrelatedEvent))
  })
})

describe("NodeResourcesFit", () => {
  it("allows nodes on which all requested resources are free, and names those that are not", () => {
    const cache = cacheOf(nodeWithCpu("4", "a"), nodeWithCpu("2", "b"))
    placePod(cache, "a", podWithCpu("2"))
    const lacks = "Insufficient cpu"
    assert.deepStrictEqual(filterResults(nodeResourcesFit, cache, podWithCpu("2")), { a: undefined, b: undefined })
    assert.deepStrictEqual(filterResults(nodeResourcesFit, cache, podWithCpu("2001m")), { a: lacks, b: lacks })
    assert.deepStrictEqual(filterResults(nodeResourcesFit, cache, podOf("p", {}, { cpu: "3", memory: "1Gi" })), {
      a: "Insufficient cpu, Insufficient memory",
      b: "Insufficient cpu, Insufficient memory"
    })
  })

  it("reports that preemption could help where the node is large enough for the pod", () => {
    const cache = cacheOf(nodeWithCpu("4", "a"), nodeWithCpu("2", "b"), nodeWithCpu("3", "c"))
    placePod(cache, "a", podOf("q", {}, { cpu: "2" }))
    placePod(cache, "c", podOf("r", {}, { cpu: "1" }))
    const prepared = nodeResourcesFit.prepare(cache.describe(podWithCpu("3")), cache)
    assert(prepared._tag === "Check")
    assert.deepStrictEqual(
      cache.nodes().map((node) => prepared.check(node)?.code),
      ["Unschedulable", "UnschedulableAndUnresolvable", "Unschedulable"]
    )
  })

  it("ignores the extended resources that the profile names, and no others", () => {
    const ignoring = nodeResourcesFitWith({ ignoredResources: ["a.com/x"], ignoredResourceGroups: ["b.com"] })
    const said = (requests: Record<string, string>, plugin = ignoring) => {
      const verdict = filterResults(plugin, cacheOf(nodeOf("n")), podOf("p", {}, requests))
      return typeof verdict === "object" ? verdict.n : verdict
    }
    assert.isUndefined(said({ "a.com/x": "1", "b.com/y": "1" }))
    assert.strictEqual(said({ "a.com/x": "1", "a.com/z": "1" }), "Insufficient a.com/z")
    assert.strictEqual(
      said({ "a.com/x": "1", "b.com/y": "1" }, nodeResourcesFit),
      "Insufficient a.com/x, Insufficient b.com/y"
    )
    assert.strictEqual(said({ cpu: "5", "a.com/x": "1" }), "Insufficient cpu")
    const [onlyName, onlyGroup] = [{ ignoredResources: ["a.com/x"] }, { ignoredResourceGroups: ["a.com"] }]
    assert.isUndefined(said({ "a.com/x": "1" }, nodeResourcesFitWith(onlyName)))
    assert.isUndefined(said({ "a.com/x": "1" }, nodeResourcesFitWith(onlyGroup)))
    // What is Kubernetes' own cannot be left to others.
    const hugepages = nodeResourcesFitWith({ ignoredResources: ["hugepages-2Mi"] })
    assert.strictEqual(said({ "hugepages-2Mi": "2Mi" }, hugepages), "Insufficient hugepages-2Mi")
  })

  it("requeues the pod when a node that could hold it has more of a requested resource", () => {
    const hint = hintOf(nodeResourcesFit, podWithCpu("3"))
    assert.deepStrictEqual([hint(nodeAdded(nodeWithCpu("3"))), hint(nodeAdded(nodeWithCpu("2")))], [true, false])
    assert.isTrue(hint(nodeUpdate(nodeWithCpu("2"), nodeWithCpu("4"))))
    assert.isFalse(hint(nodeUpdate(nodeWithCpu("1"), nodeWithCpu("2"))))
    assert.isFalse(hint(nodeUpdate(nodeWithCpu("5"), nodeWithCpu("4"))))
    assert.isFalse(hint(nodeUpdate(nodeWithCpu("4"), withAnnotation(nodeWithCpu("4")))))
    const more = nodeOf("n", { status: { allocatable: { cpu: "4", memory: "9Gi", pods: "110" } } })
    assert.isFalse(hint(nodeUpdate(nodeOf("n"), more)))
    assert.isFalse(hint({ _tag: "NodeDeleted", node: nodeWithCpu("4") }))
  })

  it("requeues the pod when another is deleted or requests less of a resource, and when it requests less itself", () => {
    const hint = hintOf(nodeResourcesFit, podWithCpu("3"))
    const before = podOnNode(podOf("q", {}, { cpu: "2", memory: "2Gi" }))
    const update = (pod: Pod, scaledDown = true) =>
      hint({ _tag: "AssignedPodUpdated", before, pod, change: { ...noPodChange, scaledDown } })
    assert.isTrue(hint({ _tag: "AssignedPodDeleted", pod: before }))
    assert.isTrue(update(podOnNode(podOf("q", {}, { cpu: "1", memory: "2Gi" }))))
    assert.isFalse(update(podOnNode(podOf("q", {}, { cpu: "2", memory: "1Gi" }))))
    assert.isFalse(update(podOnNode(podOf("q", {}, { cpu: "1", memory: "2Gi" })), false))
    // Upstream tries it again whatever it asks less of.
    const larger = podOf("p", {}, { cpu: "3", memory: "1Gi" })
    const own = (scaledDown: boolean) =>
      hint({
        _tag: "UnscheduledPodUpdated",
        before: larger,
        pod: podWithCpu("3"),
        change: { ...noPodChange, scaledDown }
      })
    assert.deepStrictEqual([own(true), own(false)], [true, false])
    assert.isFalse(hint({ _tag: "AssignedPodAdded", pod: before }))
  })
})
