import type { Node, Pod, Taint, Toleration } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import type { ClusterState, Invariant } from "../src/invariants/Invariant.ts"
import { podLife } from "../src/invariants/podLife.ts"
import { stoppedPods } from "../src/invariants/stoppedPods.ts"
import { stoppedZones } from "../src/invariants/stoppedZones.ts"
import { taintRate } from "../src/invariants/taintRate.ts"
import { tolerance } from "../src/invariants/tolerance.ts"
import type { TraceEntry } from "../src/trace/TraceEntry.ts"

const UNREACHABLE = "node.kubernetes.io/unreachable"
const NOT_READY = "node.kubernetes.io/not-ready"

const noExecute = (key: string): Taint => ({ key, effect: "NoExecute" })

/** Nodes `<zone>-<n>` and pods with the given taints and tolerations. */
const knownObjects = (
  taints: Readonly<Record<string, ReadonlyArray<Taint>>> = {},
  tolerations: Readonly<Record<string, ReadonlyArray<Toleration>>> = {}
): ClusterState => ({
  node: (name): Node => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "topology.kubernetes.io/zone": name.split("-")[0] ?? "" } },
    spec: { taints: taints[name] ?? [] }
  }),
  pod: (_, name) => {
    const own = tolerations[name]
    return own === undefined ? undefined : { ...pod(name), spec: { containers: [], tolerations: own } }
  },
  pods: () => [],
  budgets: () => [],
  claim: () => undefined,
  volume: () => undefined
})

const pod = (name: string, more: Partial<Pod> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", uid: `uid-${name}` },
  spec: { containers: [] },
  ...more
})

const taintAdded = (at: number, node: string, key = UNREACHABLE): TraceEntry => ({
  at,
  type: "TaintAdded",
  node,
  key,
  effect: "NoExecute",
  value: "",
  timeAdded: null
})
const taintRemoved = (at: number, node: string, key = UNREACHABLE): TraceEntry => ({
  at,
  type: "TaintRemoved",
  node,
  key,
  effect: "NoExecute",
  value: "",
  timeAdded: null
})
const fault = (
  at: number,
  type: "FaultStarted" | "FaultEnded",
  name: string,
  ...nodes: ReadonlyArray<string>
): TraceEntry => ({
  at,
  type,
  fault: name,
  nodes
})
const deletionOf = (at: number, name: string, node: string): TraceEntry => ({
  at,
  type: "PodDeletionRequested",
  namespace: "default",
  pod: name,
  node,
  by: "taint-eviction",
  gracePeriodSeconds: 30
})

/** Passes the entries to an invariant, and returns its reports. */
const reports = (make: (report: (message: string) => void) => Invariant, entries: ReadonlyArray<TraceEntry>) => {
  const messages: Array<string> = []
  const invariant = make((message) => messages.push(message))
  for (const entry of entries) invariant.entry?.(entry)
  return messages
}

describe("the rate at which a zone's nodes are tainted", () => {
  const rate = (entries: ReadonlyArray<TraceEntry>, given = knownObjects()) =>
    reports((report) => taintRate(given, 0.1, report), entries)

  it("is a burst of one, then one node each 10 s", () => {
    assert.deepStrictEqual(
      rate([taintAdded(100, "a-0"), taintAdded(110, "a-1"), taintAdded(120, "a-2"), taintAdded(500, "a-3")]),
      []
    )
  })

  it("is violated by a taint for which the bucket cannot have had a token, however long the first request took", () => {
    assert.deepStrictEqual(
      rate([taintAdded(100, "a-0"), taintAdded(105, "a-1"), taintAdded(110, "a-2"), taintAdded(115, "a-3")]),
      ["a-3 got a NoExecute taint at 01:55.0; the token bucket of /a has its next token at 02:00.0"]
    )
  })

  it("applies to each zone separately", () => {
    assert.deepStrictEqual(
      rate([taintAdded(100, "a-0"), taintAdded(100, "b-0"), taintAdded(100, "c-0"), taintAdded(110, "a-1")]),
      []
    )
  })

  it("allows a late taint whose token was taken in time", () => {
    assert.deepStrictEqual(
      rate([taintAdded(108, "a-0"), taintAdded(110, "a-1"), taintAdded(120, "a-2"), taintAdded(130, "a-3")]),
      []
    )
  })

  it("does not count swaps, other taints, and manual taints", () => {
    const both = { "a-1": [noExecute(UNREACHABLE), noExecute(NOT_READY)] }
    const entries = [
      taintAdded(100, "a-0"),
      taintAdded(100, "a-1", NOT_READY),
      taintAdded(100, "a-2", "mine"),
      taintAdded(101, "a-1")
    ]
    assert.deepStrictEqual(rate(entries, knownObjects(both)), [])
    const byHand: TraceEntry = { at: 101, type: "Action", do: "taint", nodes: ["a-1", "a-2"] }
    assert.deepStrictEqual(rate([taintAdded(100, "a-0"), byHand, taintAdded(101, "a-1"), taintAdded(101, "a-2")]), [])
  })

  it("starts again with a new controller, which also restores the taints that it removed", () => {
    const before = [taintAdded(100, "a-0"), taintAdded(110, "a-1"), taintAdded(120, "a-2")]
    const restart = [
      fault(125, "FaultStarted", "controller-restart"),
      taintRemoved(126, "a-0"),
      taintRemoved(126, "a-1")
    ]
    assert.deepStrictEqual(
      rate([...before, ...restart, taintAdded(127, "a-0"), taintAdded(127, "a-1"), taintAdded(127, "a-3")]),
      []
    )
    assert.lengthOf(
      rate([
        ...before,
        ...restart,
        taintAdded(127, "a-3"),
        taintAdded(127.1, "a-4"),
        taintAdded(127.2, "a-5"),
        taintAdded(127.3, "a-6")
      ]),
      2
    )
  })

  it("starts again with a new zone", () => {
    const anew: TraceEntry = { at: 111, type: "ZoneCreated", region: "", zone: "a" }
    assert.deepStrictEqual(rate([taintAdded(100, "a-0"), taintAdded(110, "a-1"), anew, taintAdded(111, "a-2")]), [])
  })
})

describe("a stopped zone", () => {
  const stop: TraceEntry = { at: 100, type: "ZoneRateChanged", region: "", zone: "a", nodesPerSecond: 0 }
  const check = (entries: ReadonlyArray<TraceEntry>, given = knownObjects()) =>
    reports((report) => stoppedZones(given, report), entries)

  it("may still get one taint whose request was in flight", () => {
    assert.deepStrictEqual(check([stop, taintAdded(101, "a-0"), taintAdded(101, "b-0"), taintAdded(101, "b-1")]), [])
    assert.deepStrictEqual(check([stop, taintAdded(101, "a-0"), taintAdded(300, "a-1")]), [
      "a-1 got a NoExecute taint although evictions in /a are stopped"
    ])
  })

  it("may be tainted again once it has a rate, or is created again", () => {
    const onward: TraceEntry = { ...stop, at: 200, nodesPerSecond: 0.1 }
    const anew: TraceEntry = { at: 200, type: "ZoneCreated", region: "", zone: "a" }
    for (const change of [onward, anew, fault(200, "FaultStarted", "controller-restart")]) {
      assert.deepStrictEqual(
        check([stop, taintAdded(101, "a-0"), change, taintAdded(300, "a-1"), taintAdded(310, "a-2")]),
        []
      )
    }
  })
})

describe("while every zone is down", () => {
  const down: TraceEntry = { at: 100, type: "AllZonesDown", entered: true }
  /** Passes end at 94 s, and at 101 s the one that found every zone down. */
  const check = (before: ReadonlyArray<TraceEntry>, after: ReadonlyArray<TraceEntry>, given = knownObjects()) => {
    const messages: Array<string> = []
    const invariant = stoppedZones(given, (message) => messages.push(message))
    for (const entry of before) if (entry.at <= 94) invariant.entry?.(entry)
    invariant.passEnded?.(94)
    for (const entry of before) if (entry.at > 94) invariant.entry?.(entry)
    invariant.entry?.(down)
    invariant.passEnded?.(101)
    for (const entry of after) invariant.entry?.(entry)
    return messages
  }

  it("no pod is evicted", () => {
    assert.deepStrictEqual(check([taintAdded(50, "a-0")], [deletionOf(350, "p", "a-0")]), [
      "default/p was evicted from a-0 while every zone is down"
    ])
  })

  it("pods of nodes that were tainted late may be evicted", () => {
    assert.deepStrictEqual(check([taintAdded(95, "a-0")], [deletionOf(395, "p", "a-0")]), [])
    assert.deepStrictEqual(check([], [taintAdded(100.5, "a-0"), deletionOf(400, "p", "a-0")]), [])
  })

  const scheduled: TraceEntry = {
    at: 50,
    type: "PodEvictionScheduled",
    namespace: "default",
    pod: "p",
    node: "a-0",
    due: 99
  }

  it("the deletion of a node that was tainted late does not cancel the evictions of its pods", () => {
    const eviction: TraceEntry = { ...scheduled, at: 95, due: 395 }
    const deleted: TraceEntry = { at: 200, type: "NodeDeleted", node: "a-0" }
    const afterwards = [deleted, deletionOf(395, "p", "a-0")]
    assert.deepStrictEqual(check([taintAdded(95, "a-0"), eviction], afterwards), [])
    assert.lengthOf(check([taintAdded(50, "a-0"), { ...eviction, at: 50, due: 350 }], afterwards), 1)
  })

  it("pods of a node that was gone before may be evicted: nobody can remove its taints", () => {
    const eviction: TraceEntry = { ...scheduled, due: 350 }
    const deleted: TraceEntry = { at: 60, type: "NodeDeleted", node: "a-0" }
    assert.deepStrictEqual(check([taintAdded(50, "a-0"), eviction, deleted], [deletionOf(350, "p", "a-0")]), [])
  })

  it("pods whose eviction was due before may be evicted, however long their deletion waited", () => {
    assert.deepStrictEqual(check([taintAdded(50, "a-0"), scheduled], [deletionOf(150, "p", "a-0")]), [])
    assert.lengthOf(check([taintAdded(50, "a-0"), { ...scheduled, due: 140 }], [deletionOf(150, "p", "a-0")]), 1)
  })

  it("the next pod with an evicted pod's name may be deleted: it has no DisruptionTarget condition", () => {
    const next: ClusterState = { ...knownObjects(), pod: (_, name) => pod(name) }
    assert.deepStrictEqual(check([taintAdded(50, "a-0")], [deletionOf(350, "p", "a-0")], next), [])
    const condition = { type: "DisruptionTarget", status: "True", reason: "DeletionByTaintManager" } as const
    const meant: ClusterState = {
      ...knownObjects(),
      pod: (_, name) => pod(name, { status: { conditions: [condition] } })
    }
    assert.lengthOf(check([taintAdded(50, "a-0")], [deletionOf(350, "p", "a-0")], meant), 1)
  })

  it("pods on a node with another controller's taint may be evicted", () => {
    const given = knownObjects({ "a-0": [noExecute("mine")] })
    assert.deepStrictEqual(check([taintAdded(50, "a-0")], [deletionOf(350, "p", "a-0")], given), [])
  })

  it("ends with a heartbeat, or with a new controller", () => {
    const alive: TraceEntry = { at: 200, type: "AllZonesDown", entered: false }
    for (const end of [alive, fault(200, "FaultStarted", "controller-restart")]) {
      assert.deepStrictEqual(check([taintAdded(50, "a-0")], [end, deletionOf(350, "p", "a-0")]), [])
    }
  })
})

describe("a pod's tolerations", () => {
  const forEver: ReadonlyArray<Toleration> = [{ key: UNREACHABLE, operator: "Exists", effect: "NoExecute" }]
  const check = (tolerations: ReadonlyArray<Toleration>, entries: ReadonlyArray<TraceEntry>) =>
    reports((report) => tolerance(knownObjects({}, { p: tolerations }), report), entries)

  it("protect it if they have no time limit", () => {
    assert.deepStrictEqual(check(forEver, [taintAdded(50, "a-0"), deletionOf(100, "p", "a-0")]), [
      "default/p was evicted from a-0 although it tolerates the node's taints without a time limit"
    ])
    assert.lengthOf(check([{ operator: "Exists" }], [taintAdded(50, "a-0", "mine"), deletionOf(100, "p", "a-0")]), 1)
  })

  it("do not protect it if they have a time limit or match other taints", () => {
    const aWhile = forEver.map((toleration) => ({ ...toleration, tolerationSeconds: 300 }))
    assert.deepStrictEqual(check(aWhile, [taintAdded(50, "a-0"), deletionOf(100, "p", "a-0")]), [])
    assert.deepStrictEqual(check(forEver, [taintAdded(50, "a-0", NOT_READY), deletionOf(100, "p", "a-0")]), [])
    assert.deepStrictEqual(check([...aWhile, ...forEver], [taintAdded(50, "a-0"), deletionOf(100, "p", "a-0")]), [])
  })
})

describe("the lifecycle of a pod", () => {
  const check = (previous: Pod, next: Pod) => {
    const messages: Array<string> = []
    podLife((message) => messages.push(message)).pod?.(previous, next, 0)
    return messages
  }
  const on = (nodeName: string) => pod("p", { spec: { containers: [], nodeName } })
  const phase = (name: "Running" | "Failed" | "Succeeded") => pod("p", { status: { phase: name } })
  const deleting = pod("p", {
    metadata: { name: "p", namespace: "default", uid: "uid-p", deletionTimestamp: "2026-01-01T00:00:00Z" }
  })

  it("never goes back", () => {
    assert.deepStrictEqual(check(pod("p"), on("a-0")), [])
    assert.deepStrictEqual(check(phase("Running"), phase("Failed")), [])
    assert.deepStrictEqual(check(pod("p"), deleting), [])
    assert.deepStrictEqual(check(on("a-0"), on("a-1")), ["default/p moved from node a-0 to a-1"])
    assert.deepStrictEqual(check(phase("Failed"), phase("Running")), ["default/p changed from phase Failed to Running"])
    assert.deepStrictEqual(check(deleting, pod("p")), ["default/p lost its deletionTimestamp"])
  })

  it("is separate from that of another pod with its name", () => {
    const other = { ...on("a-1"), metadata: { name: "p", namespace: "default", uid: "another" } }
    assert.deepStrictEqual(check(on("a-0"), other), [])
  })
})

describe("a pod that was deleted from the API", () => {
  /** The reports until 1,000 s on pod p, which runs on a-0, is deleted at 100 s, and is never stopped by its kubelet. */
  const check = (
    entries: ReadonlyArray<TraceEntry>,
    given: { running?: boolean; stopsAt?: number; grace?: number } = {}
  ) => {
    const messages: Array<string> = []
    let now = 0
    const kubelet = {
      running: given.running ?? true,
      pods: () => [{ uid: "uid-p", hasContainers: now < (given.stopsAt ?? Number.POSITIVE_INFINITY) }]
    }
    const invariant = stoppedPods(
      (node) => (node === "a-0" ? { kubelet } : undefined),
      (message) => messages.push(`${now}: ${message}`)
    )
    const grace = given.grace === undefined ? {} : { terminationGracePeriodSeconds: given.grace }
    const gone = pod("p", { spec: { containers: [], nodeName: "a-0", ...grace } })
    for (; now <= 1_000; now += 10) {
      for (const entry of entries) if (entry.at === now) invariant.entry?.(entry)
      if (now === 100) invariant.pod?.(gone, undefined, now)
      invariant.tick?.(now)
    }
    return messages
  }

  it("must stop on its node in time", () => {
    assert.deepStrictEqual(check([], { stopsAt: 300 }), [])
    assert.deepStrictEqual(check([]), [
      "390: default/p was deleted from the API at 01:40.0 but still runs on a-0, whose kubelet could observe that"
    ])
  })

  it("has its grace period", () => {
    assert.deepStrictEqual(check([], { grace: 300, stopsAt: 600 }), [])
    assert.lengthOf(check([], { grace: 300 }), 1)
  })

  it("may run while its kubelet cannot observe the deletion, and for a time after", () => {
    assert.deepStrictEqual(check([fault(50, "FaultStarted", "partition", "a-0")]), [])
    assert.deepStrictEqual(check([fault(50, "FaultStarted", "api-server-down")]), [])
    assert.deepStrictEqual(check([], { running: false }), [])
    const healed = [fault(50, "FaultStarted", "partition", "a-0"), fault(400, "FaultEnded", "partition", "a-0")]
    assert.match(check(healed).join(), /^690: /)
    assert.lengthOf(check([fault(50, "FaultStarted", "partition", "a-1")]), 1)
  })

  it("may run while one of two faults lasts", () => {
    const two = [
      fault(50, "FaultStarted", "partition", "a-0"),
      fault(60, "FaultStarted", "loss", "a-0"),
      fault(200, "FaultEnded", "partition", "a-0")
    ]
    assert.deepStrictEqual(check(two), [])
  })
})
