import type { Node, NodeCondition, Pod, PodCondition, Taint } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { observeNode } from "../src/trace/observeNode.ts"
import { observePod } from "../src/trace/observePod.ts"
import { makeTrace } from "../src/trace/Trace.ts"
import type { DeletedBy } from "../src/trace/TraceEntry.ts"

const taint = (key: string, more: Partial<Taint> = {}): Taint => ({ key, effect: "NoExecute", ...more })

const condition = (
  type: string,
  status: NodeCondition["status"],
  more: Partial<NodeCondition> = {}
): NodeCondition => ({
  type,
  status,
  ...more
})

const node = (given: {
  readonly taints?: ReadonlyArray<Taint>
  readonly conditions?: ReadonlyArray<NodeCondition>
  readonly unschedulable?: boolean
}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n" },
  spec: {
    ...(given.taints === undefined ? {} : { taints: given.taints }),
    ...(given.unschedulable === undefined ? {} : { unschedulable: given.unschedulable })
  },
  status: { ...(given.conditions === undefined ? {} : { conditions: given.conditions }) }
})

const nodeEntries = (previous: Node | undefined, next: Node | undefined) => {
  const trace = makeTrace({ elapsedMs: () => 0 })
  observeNode(trace, previous, next)
  return trace.entries().map(({ at: _, ...entry }) => entry)
}

const ready = condition("Ready", "True", { reason: "KubeletReady", message: "kubelet is posting ready status" })

describe("a node that", () => {
  it("registers is traced with its conditions and taints", () => {
    assert.deepStrictEqual(
      nodeEntries(undefined, node({ taints: [taint("k", { value: "v" })], conditions: [ready] })),
      [
        { type: "NodeRegistered", node: "n" },
        {
          type: "ConditionChanged",
          node: "n",
          condition: "Ready",
          from: null,
          to: "True",
          reason: "KubeletReady",
          message: "kubelet is posting ready status"
        },
        { type: "TaintAdded", node: "n", key: "k", effect: "NoExecute", value: "v", timeAdded: null }
      ]
    )
  })

  it("is deleted", () => {
    assert.deepStrictEqual(nodeEntries(node({}), undefined), [{ type: "NodeDeleted", node: "n" }])
    assert.deepStrictEqual(nodeEntries(undefined, undefined), [])
  })

  it("only sends a heartbeat is not traced", () => {
    const beat = { ...ready, lastHeartbeatTime: "2026-01-01T00:00:00Z" }
    assert.deepStrictEqual(nodeEntries(node({ conditions: [ready] }), node({ conditions: [beat] })), [])
  })

  it("changes a condition, gets one, loses one", () => {
    const changes = nodeEntries(
      node({ conditions: [ready, condition("Odd", "True")] }),
      node({ conditions: [condition("Ready", "Unknown", { reason: "NodeStatusUnknown" }), condition("New", "False")] })
    )
    assert.deepStrictEqual(
      changes.map((entry) => (entry.type === "ConditionChanged" ? [entry.condition, entry.from, entry.to] : [])),
      [
        ["Ready", "True", "Unknown"],
        ["New", null, "False"],
        ["Odd", "True", null]
      ]
    )
  })

  it("changes its taints, which are identified by key and effect", () => {
    const before = node({ taints: [taint("a"), taint("b", { timeAdded: "2026-01-01T00:00:00Z" }), taint("c")] })
    const after = node({
      taints: [taint("b", { timeAdded: "2026-01-01T00:05:00Z" }), taint("c", { effect: "NoSchedule" }), taint("a")]
    })
    assert.deepStrictEqual(
      nodeEntries(before, after).map((entry) => ("key" in entry ? [entry.type, entry.key, entry.effect] : [])),
      [
        ["TaintChanged", "b", "NoExecute"],
        ["TaintAdded", "c", "NoSchedule"],
        ["TaintRemoved", "c", "NoExecute"]
      ]
    )
  })

  it("is cordoned and uncordoned", () => {
    assert.deepStrictEqual(nodeEntries(node({}), node({ unschedulable: true })), [
      { type: "CordonChanged", node: "n", unschedulable: true }
    ])
    assert.deepStrictEqual(nodeEntries(node({ unschedulable: true }), node({ unschedulable: false })), [
      { type: "CordonChanged", node: "n", unschedulable: false }
    ])
    assert.deepStrictEqual(nodeEntries(node({}), node({ unschedulable: false })), [])
  })
})

interface PodParts {
  readonly node?: string
  readonly phase?: "Pending" | "Running" | "Failed"
  readonly reason?: string
  readonly message?: string
  readonly conditions?: ReadonlyArray<PodCondition>
  readonly owner?: string
  readonly deleting?: number
}

const pod = ({ conditions, deleting, message, node: nodeName, owner, phase, reason }: PodParts): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "p",
    namespace: "default",
    ...(owner === undefined
      ? {}
      : { ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: owner, uid: "u", controller: true }] }),
    ...(deleting === undefined
      ? {}
      : { deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: deleting })
  },
  spec: { containers: [], ...(nodeName === undefined ? {} : { nodeName }) },
  status: {
    ...(phase === undefined ? {} : { phase }),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    ...(conditions === undefined ? {} : { conditions })
  }
})

const podEntries = (
  previous: Pod | undefined,
  next: Pod | undefined,
  by: DeletedBy = "taint-eviction",
  force = false
) => {
  const trace = makeTrace({ elapsedMs: () => 0 })
  observePod(trace, previous, next, { deletedBy: () => by, forcedBy: () => (force ? by : undefined) })
  return trace.entries().map(({ at: _, ...entry }) => entry)
}

const podReference = { namespace: "default", pod: "p" }
const onNode = { ...podReference, node: "n" }

describe("a pod that", () => {
  it("was not ready when its deletion was requested is not ready again: its node is only back", () => {
    const trace = makeTrace({ elapsedMs: () => 0 })
    const lost = new Set<string>()
    const readyIs = (status: string, deleting?: number) =>
      pod({ node: "n", conditions: [{ type: "Ready", status }], ...(deleting === undefined ? {} : { deleting }) })
    const states = [readyIs("False"), readyIs("False", 30), readyIs("True", 30), readyIs("False", 30), undefined]
    for (const [at, next] of states.entries())
      observePod(
        trace,
        states[at - 1],
        next,
        { deletedBy: () => "taint-eviction", forcedBy: () => undefined },
        { lost }
      )
    const types = trace.entries().map(({ type }) => type)
    assert.deepStrictEqual(types, ["PodCreated", "PodDeletionRequested", "PodDeleted"])
    assert.strictEqual(lost.size, 0)
  })

  it("is created, bound or not", () => {
    assert.deepStrictEqual(podEntries(undefined, pod({ owner: "web-1" })), [
      { type: "PodCreated", ...podReference, owner: "ReplicaSet/web-1" }
    ])
    assert.deepStrictEqual(podEntries(undefined, pod({ node: "n" })), [
      { type: "PodCreated", ...podReference, owner: null, node: "n" }
    ])
  })

  it("is scheduled, or cannot be", () => {
    assert.deepStrictEqual(podEntries(pod({}), pod({ node: "n" })), [{ type: "PodScheduled", ...onNode }])
    const refused = (message: string) =>
      pod({ conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }] })
    assert.deepStrictEqual(podEntries(pod({}), refused("0/3 nodes are available")), [
      { type: "PodUnschedulable", ...podReference, message: "0/3 nodes are available" }
    ])
    assert.deepStrictEqual(podEntries(refused("0/3"), refused("0/3")), [])
    assert.lengthOf(podEntries(refused("0/3"), refused("0/4")), 1)
  })

  it("starts and becomes ready", () => {
    const running = pod({ node: "n", phase: "Running", conditions: [{ type: "Ready", status: "True" }] })
    assert.deepStrictEqual(podEntries(pod({ node: "n", phase: "Pending" }), running), [
      { type: "PodPhaseChanged", ...onNode, from: "Pending", to: "Running", reason: "" },
      { type: "PodReadyChanged", ...onNode, ready: true }
    ])
    assert.deepStrictEqual(podEntries(running, pod({ node: "n", phase: "Failed", reason: "Evicted" })), [
      { type: "PodPhaseChanged", ...onNode, from: "Running", to: "Failed", reason: "Evicted" },
      { type: "PodReadyChanged", ...onNode, ready: false }
    ])
  })

  it("is rejected by its node", () => {
    const [reason, message] = ["OutOfcpu", "Pod was rejected: Node didn't have enough resource: cpu"]
    const refused = pod({ node: "n", phase: "Failed", reason, message })
    assert.deepStrictEqual(podEntries(pod({ node: "n", phase: "Pending" }), refused), [
      { type: "PodPhaseChanged", ...onNode, from: "Pending", to: "Failed", reason },
      { type: "PodRejected", ...onNode, reason, message }
    ])
  })

  it("gets DisruptionTarget", () => {
    const marked = pod({
      node: "n",
      conditions: [{ type: "DisruptionTarget", status: "True", reason: "DeletionByTaintManager" }]
    })
    assert.deepStrictEqual(podEntries(pod({ node: "n" }), marked), [
      {
        type: "PodConditionChanged",
        ...onNode,
        condition: "DisruptionTarget",
        status: "True",
        reason: "DeletionByTaintManager"
      }
    ])
  })

  it("is deleted, again with a shorter grace period, and removed", () => {
    const asked = (gracePeriodSeconds: number) =>
      ({ type: "PodDeletionRequested", ...onNode, by: "taint-eviction", gracePeriodSeconds }) as const
    const [up, going, going0] = [pod({ node: "n" }), pod({ node: "n", deleting: 30 }), pod({ node: "n", deleting: 0 })]
    assert.deepStrictEqual(podEntries(up, going), [asked(30)])
    assert.deepStrictEqual(podEntries(going, pod({ node: "n", deleting: 30 })), [])
    assert.deepStrictEqual(podEntries(going, going0), [])
    assert.deepStrictEqual(podEntries(going, going0, "taint-eviction", true), [asked(0)])
    assert.deepStrictEqual(podEntries(going0, undefined), [{ type: "PodDeleted", ...onNode }])
  })

  it("is force-deleted while it terminates", () => {
    const [going, going0] = [pod({ node: "n", deleting: 30 }), pod({ node: "n", deleting: 0 })]
    assert.deepStrictEqual(podEntries(going, going0, "node-controller", true), [
      { type: "PodDeletionRequested", ...onNode, by: "node-controller", gracePeriodSeconds: 0 }
    ])
    assert.deepStrictEqual(podEntries(going0, undefined, "node-controller"), [{ type: "PodDeleted", ...onNode }])
  })

  it("is deleted with grace period 0", () => {
    assert.deepStrictEqual(podEntries(pod({ node: "n" }), undefined, "pod-gc"), [
      { type: "PodDeletionRequested", ...onNode, by: "pod-gc", gracePeriodSeconds: 0 },
      { type: "PodDeleted", ...onNode }
    ])
  })
})
