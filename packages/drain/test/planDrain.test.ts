import type { Node, Pod, PodDisruptionBudget, StatefulSet } from "@rollcall/api"
import { decideEviction } from "@rollcall/api-server"
import { assert, describe, it } from "vitest"
import {
  type ClusterSnapshot,
  type DrainDependencies,
  type PlanDrainOptions,
  type PodDrain,
  planDrain
} from "../src/index.ts"

const NOW = Date.UTC(2026, 0, 1)
const timeOf = (secondsFromNow: number) => new Date(NOW + secondsFromNow * 1000).toISOString().replace(".000Z", "Z")

/** Schedules each pod on the first node that is not cordoned and has room for another pod. */
const makeFirstFitScheduler =
  (most = 100): DrainDependencies["scheduler"] =>
  ({ nodes, pods }) => {
    const names = nodes.filter(({ spec }) => spec?.unschedulable !== true).map(({ metadata }) => metadata.name ?? "")
    const on = new Map(pods.map(({ metadata, spec }) => [metadata.name ?? "", spec.nodeName ?? ""]))
    return {
      place: ({ metadata }) => {
        const node = names.find((name) => [...on.values()].filter((other) => other === name).length < most)
        if (node === undefined) return { _tag: "Unplaceable", message: "full" }
        on.set(metadata.name ?? "", node)
        return { _tag: "Placed", node }
      },
      update: () => undefined,
      remove: ({ metadata }) => {
        on.delete(metadata.name ?? "")
      }
    }
  }

const node = (name: string, ready = "True"): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  status: { conditions: [{ type: "Ready", status: ready as "True" }] }
})

const pod = (
  name: string,
  owner: string,
  more: { readonly node?: string; readonly grace?: number; readonly ready?: boolean; readonly meta?: object } = {}
): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    namespace: "default",
    uid: name,
    labels: { app: "web" },
    ownerReferences: [{ apiVersion: "apps/v1", kind: owner, name: "web", uid: "web", controller: true }],
    ...more.meta
  },
  spec: {
    nodeName: more.node ?? "n1",
    terminationGracePeriodSeconds: more.grace ?? 30,
    containers: [{ name: "c", image: "i" }]
  },
  status: {
    phase: "Running",
    startTime: timeOf(-100),
    conditions: [{ type: "Ready", status: more.ready === false ? "False" : "True", lastTransitionTime: timeOf(-96) }]
  }
})

const budget = (
  status: Partial<NonNullable<PodDisruptionBudget["status"]>>,
  more: object = {}
): PodDisruptionBudget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "web", namespace: "default" },
  spec: { selector: { matchLabels: { app: "web" } } },
  status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 3, ...status },
  ...more
})

const planDrainOf = (
  given: Partial<ClusterSnapshot>,
  options: Partial<PlanDrainOptions> = {},
  scheduler: DrainDependencies["scheduler"] = makeFirstFitScheduler()
) =>
  planDrain(
    {
      nowMs: NOW,
      nodes: [node("n1"), node("n2"), node("n3")],
      pods: [],
      budgets: [],
      daemonSets: [],
      replicaSets: [],
      statefulSets: [],
      ...given
    },
    { nodes: ["n1"], ...options },
    { scheduler, decideEviction }
  )

const podsOf = ({ nodes }: ReturnType<typeof planDrainOf>): ReadonlyArray<PodDrain> => nodes.flatMap(({ pods }) => pods)
const departuresOf = (planned: ReturnType<typeof planDrainOf>) =>
  podsOf(planned).map((one) => [one.pod.metadata.name, one.leaves.expected, one.refusals])

describe("planDrain", () => {
  it("evicts all at once, in the order of the list, where no budget applies", () => {
    const planned = planDrainOf({ pods: ["c", "a", "b"].map((name) => pod(name, "ReplicaSet")) })
    assert.deepStrictEqual(departuresOf(planned), [
      ["a", 0, 0],
      ["b", 0, 0],
      ["c", 0, 0]
    ])
    assert.deepStrictEqual(planned.takes, { expected: 1, worst: 30 })
  })

  it("waits in steps of five seconds until the replacement is ready", () => {
    const status = { disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2 }
    const pods = ["a", "b", "c"].map((name) => pod(name, "ReplicaSet"))
    // Each is ready after 4 s, as the existing ones were.
    assert.deepStrictEqual(departuresOf(planDrainOf({ pods, budgets: [budget(status)] })), [
      ["a", 0, 0],
      ["b", 5, 1],
      ["c", 10, 2]
    ])
  })

  it("expects no readiness of what replaces a pod that was not ready, even where room for it comes later", () => {
    const deletionTimestamp = timeOf(10)
    const pods = [
      pod("a", "ReplicaSet", { ready: false }),
      pod("b", "Job", { node: "n2", grace: 10, meta: { uid: "b", deletionTimestamp } })
    ]
    const planned = planDrainOf({ nodes: [node("n1"), node("n2")], pods }, {}, makeFirstFitScheduler(1))
    assert.deepStrictEqual(podsOf(planned)[0]?.replacement, {
      kind: "placed",
      node: "n2",
      at: { expected: 10, worst: 10 },
      ready: {}
    })
  })

  it("recreates a StatefulSet's pod after its removal, in order", () => {
    const pods = ["web-0", "web-1"].map((name) => pod(name, "StatefulSet", { grace: 10 }))
    const replacements = podsOf(planDrainOf({ pods })).map(({ replacement }) => replacement)
    assert.deepStrictEqual(replacements, [
      { kind: "placed", node: "n2", at: { expected: 1, worst: 10 }, ready: { expected: 5, worst: 14 } },
      { kind: "placed", node: "n2", at: { expected: 5, worst: 14 }, ready: { expected: 9, worst: 18 } }
    ])
    const set: StatefulSet = {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { name: "web", namespace: "default", uid: "web" },
      spec: {
        replicas: 2,
        serviceName: "web",
        podManagementPolicy: "Parallel",
        selector: {},
        template: { spec: { containers: [] } }
      }
    }
    const parallel = podsOf(planDrainOf({ pods, statefulSets: [set] })).map(({ replacement }) => replacement?.kind)
    assert.deepStrictEqual(parallel, ["placed", "placed"])
    const smaller = podsOf(planDrainOf({ pods, statefulSets: [{ ...set, spec: { ...set.spec, replicas: 1 } }] }))
    assert.deepStrictEqual(smaller[1]?.replacement, { kind: "none", why: "its StatefulSet has been scaled down" })
  })

  it("recreates a StatefulSet's evicted pod under its name", () => {
    const evicted = { ...pod("web-0", "StatefulSet", { ready: false }), status: { phase: "Failed", reason: "Evicted" } }
    const [one] = podsOf(planDrainOf({ pods: [evicted] }))
    assert.deepStrictEqual(one?.gone, { expected: 0, worst: 0 })
    const ready = { expected: 5, worst: 60 }
    const again = { kind: "placed", node: "n2", at: { expected: 0, worst: 0 }, ready } as const
    assert.deepStrictEqual(one?.replacement, again)
    // The pod's controller would delete it from another node without a drain: no later pod waits for it.
    const elsewhere = { ...evicted, spec: { ...evicted.spec, nodeName: "n3" } }
    const [later] = podsOf(planDrainOf({ pods: [elsewhere, pod("web-1", "StatefulSet")] }))
    assert.strictEqual(later?.replacement?.kind, "placed")
  })

  it("creates no pod elsewhere for a DaemonSet, whether its pod has terminated or is preempted", () => {
    const daemonSets: ClusterSnapshot["daemonSets"] = [
      {
        apiVersion: "apps/v1",
        kind: "DaemonSet",
        metadata: { name: "web", namespace: "default" },
        spec: { selector: {}, template: { spec: { containers: [] } } }
      }
    ]
    const ended: Pod = { ...pod("agent", "DaemonSet"), status: { phase: "Failed" } }
    const stays = { kind: "none", why: "its DaemonSet recreates it on the same node" } as const
    assert.deepStrictEqual(podsOf(planDrainOf({ pods: [ended], daemonSets }))[0]?.replacement, stays)
    const orphan = podsOf(planDrainOf({ pods: [pod("agent", "DaemonSet")] }, { force: true }))
    assert.deepStrictEqual(orphan[0]?.replacement, { kind: "none", why: "its DaemonSet no longer exists" })

    const victim = pod("victim", "DaemonSet", { node: "n2" })
    const preempting: DrainDependencies["scheduler"] = () => ({
      place: () => ({ _tag: "Unplaceable", message: "full", preemption: { node: "n2", victims: [victim] } }),
      update: () => undefined,
      remove: () => undefined
    })
    const { displaced } = planDrainOf({ pods: [pod("a", "ReplicaSet"), victim], daemonSets }, {}, preempting)
    assert.deepStrictEqual(
      displaced.map(({ replacement }) => replacement),
      [stays]
    )
  })

  it("creates no pod for a surplus one, and none for one that was deleted before", () => {
    const set = {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name: "web", namespace: "default", uid: "web" },
      spec: { replicas: 1, selector: {} }
    } as const
    const two = podsOf(
      planDrainOf({ pods: [pod("a", "ReplicaSet"), pod("b", "ReplicaSet", { node: "n2" })], replicaSets: [set] })
    )
    assert.deepStrictEqual(two[0]?.replacement, { kind: "none", why: "its controller has enough pods without it" })
    const going = pod("a", "ReplicaSet", { meta: { deletionTimestamp: timeOf(7) } })
    const [one] = podsOf(planDrainOf({ pods: [going] }))
    assert.deepStrictEqual(one?.gone, { expected: 7, worst: 7 })
    assert.deepStrictEqual(one?.replacement, { kind: "none", why: "already replaced" })
    const [bare] = podsOf(
      planDrainOf({ pods: [{ ...going, metadata: { ...going.metadata, ownerReferences: [] } }] }, { force: true })
    )
    assert.deepStrictEqual(bare?.replacement, { kind: "none", why: "it has no controller to recreate it" })
  })

  it("is blocked where a replacement finds no node, and says so", () => {
    const status = { disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2 }
    const pods = [pod("a", "ReplicaSet"), pod("b", "ReplicaSet"), pod("x", "ReplicaSet", { node: "n2" })]
    const planned = planDrainOf(
      { pods, budgets: [budget(status)], nodes: [node("n1"), node("n2")] },
      {},
      makeFirstFitScheduler(1)
    )
    assert.strictEqual(planned.nodes[0]?.outcome, "stuck")
    assert.isTrue(planned.blocked)
    assert.deepStrictEqual(planned.takes, {})
    const [a, b] = podsOf(planned)
    assert.deepStrictEqual(a?.replacement, { kind: "unplaceable", at: { expected: 0, worst: 0 }, message: "full" })
    assert.strictEqual(b?.block?.reason, "budget")
    assert.deepInclude(b?.block?.budget, { currentHealthy: 2, desiredHealthy: 2, disruptionsAllowed: 0 })
  })

  it("does not reach nodes after one that is never drained, unless there is a timeout", () => {
    const pods = [pod("a", "ReplicaSet"), pod("b", "ReplicaSet", { node: "n2", meta: { labels: {} } })]
    const budgets = [budget({ currentHealthy: 2, desiredHealthy: 2 })]
    const outcomes = (options: Partial<PlanDrainOptions>) =>
      planDrainOf({ pods, budgets }, { nodes: ["n1", "n2"], ...options }).nodes.map(({ outcome, starts }) => [
        outcome,
        starts.expected
      ])
    assert.deepStrictEqual(outcomes({}), [
      ["stuck", 0],
      ["not-reached", undefined]
    ])
    assert.deepStrictEqual(outcomes({ timeoutSeconds: 30 }), [
      ["timed-out", 0],
      ["drained", 30]
    ])
  })

  it("allows nothing where a budget's controller failed, and ignores an old generation", () => {
    const failed = { type: "DisruptionAllowed", status: "False" as const, reason: "SyncFailed", message: "no scale" }
    const healthy = { disruptionsAllowed: 0, currentHealthy: 3, desiredHealthy: 1 }
    const [held] = podsOf(
      planDrainOf({ pods: [pod("a", "ReplicaSet")], budgets: [budget({ ...healthy, conditions: [failed] })] })
    )
    assert.strictEqual(held?.block?.reason, "budget")
    assert.include(held?.block?.message, "failed sync: no scale")
    const metadata = { name: "web", namespace: "default", generation: 4 }
    const old = budget({ ...healthy, disruptionsAllowed: 2, observedGeneration: 3 }, { metadata })
    assert.isFalse(planDrainOf({ pods: [pod("a", "ReplicaSet")], budgets: [old] }).blocked)
  })

  it("waits forever for an unreachable kubelet, a finalizer, or an overdue pod; not for a job's own finalizer", () => {
    const dead = planDrainOf({ nodes: [node("n1", "Unknown"), node("n2")], pods: [pod("a", "ReplicaSet")] })
    assert.deepInclude(podsOf(dead)[0]?.block, {
      reason: "terminating",
      message: "the kubelet of node n1 does not respond"
    })
    const held = planDrainOf({ pods: [pod("a", "ReplicaSet", { meta: { finalizers: ["example.com/x"] } })] })
    assert.strictEqual(podsOf(held)[0]?.block?.message, "held by finalizer example.com/x")
    const overdue = planDrainOf({ pods: [pod("a", "ReplicaSet", { meta: { deletionTimestamp: timeOf(-600) } })] })
    assert.strictEqual(podsOf(overdue)[0]?.block?.message, "its grace period expired 600s ago")
    const job = planDrainOf({ pods: [pod("a", "Job", { meta: { finalizers: ["batch.kubernetes.io/job-tracking"] } })] })
    assert.isFalse(job.blocked)
    // With a grace period of 0 the API deletes it at once, whatever the state of its node.
    const forced = planDrainOf(
      { nodes: [node("n1", "Unknown"), node("n2")], pods: [pod("a", "ReplicaSet")] },
      { gracePeriodSeconds: 0 }
    )
    assert.deepStrictEqual(forced.takes, { expected: 0, worst: 0 })
  })

  it("evicts replacements again on a node that is drained later", () => {
    const stubborn: DrainDependencies["scheduler"] = () => ({
      place: () => ({ _tag: "Placed", node: "n2" }),
      update: () => undefined,
      remove: () => undefined
    })
    const planned = planDrainOf({ pods: [pod("a", "ReplicaSet")] }, { nodes: ["n1", "n2"] }, stubborn)
    assert.lengthOf(planned.nodes[1]?.pods ?? [], 1)
  })

  it("does not change its input", () => {
    const freeze = <A>(value: A): A => {
      if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
        Object.freeze(value)
        for (const inner of Object.values(value)) freeze(inner)
      }
      return value
    }
    const status = { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1 }
    const frozen = freeze({ pods: [pod("a", "ReplicaSet"), pod("b", "StatefulSet")], budgets: [budget(status)] })
    assert.deepStrictEqual(planDrainOf(frozen), planDrainOf(frozen))
  })
})
