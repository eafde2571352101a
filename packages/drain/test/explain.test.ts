import type { Namespace, Node, Pod, PodDisruptionBudget } from "@rollcall/api"
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

/** Schedules pods on the last node, or nowhere. */
const schedulerThatPlacesOn =
  (node: string | undefined): DrainDependencies["scheduler"] =>
  () => ({
    place: () => (node === undefined ? { _tag: "Unplaceable", message: "full" } : { _tag: "Placed", node }),
    update: () => undefined,
    remove: () => undefined
  })

const node = (name: string, ready = "True"): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  status: { conditions: [{ type: "Ready", status: ready as "True" }] }
})

const pod = (
  name: string,
  more: {
    readonly node?: string
    readonly crashing?: boolean
    readonly owner?: string
    readonly meta?: object
    readonly spec?: object
  } = {}
): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    namespace: "default",
    uid: name,
    labels: { app: "web" },
    ...(more.owner === ""
      ? {}
      : {
          ownerReferences: [
            { apiVersion: "apps/v1", kind: more.owner ?? "ReplicaSet", name: "web", uid: "web", controller: true }
          ]
        }),
    ...more.meta
  },
  spec: { nodeName: more.node ?? "n1", containers: [{ name: "c", image: "i" }], ...more.spec },
  status: {
    phase: "Running",
    conditions: [{ type: "Ready", status: more.crashing === true ? "False" : "True" }],
    containerStatuses: [
      {
        name: "c",
        image: "i",
        imageID: "",
        ready: more.crashing !== true,
        restartCount: more.crashing === true ? 7 : 0,
        state: more.crashing === true ? { waiting: { reason: "CrashLoopBackOff" } } : {}
      }
    ]
  }
})

const budget = (
  status: NonNullable<PodDisruptionBudget["status"]>,
  spec: NonNullable<PodDisruptionBudget["spec"]> = {},
  name = "web"
): PodDisruptionBudget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name, namespace: "default", generation: 1 },
  spec: { selector: { matchLabels: { app: "web" } }, ...spec },
  status
})

const statusOf = (currentHealthy: number, desiredHealthy: number, expectedPods: number) => ({
  disruptionsAllowed: Math.max(0, currentHealthy - desiredHealthy),
  currentHealthy,
  desiredHealthy,
  expectedPods
})

const planDrainOf = (
  given: Partial<ClusterSnapshot>,
  options: Partial<PlanDrainOptions> = {},
  target: string | undefined = "n3"
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
    { scheduler: schedulerThatPlacesOn(target === "" ? undefined : target), decideEviction }
  )

const podsOf = ({ nodes }: ReturnType<typeof planDrainOf>): ReadonlyArray<PodDrain> => nodes.flatMap(({ pods }) => pods)
const whyOf = (planned: ReturnType<typeof planDrainOf>) =>
  podsOf(planned).find(({ block }) => block !== undefined)?.block?.why

describe("why a budget refuses an eviction", () => {
  it("is that it requires every pod", () => {
    const why = whyOf(planDrainOf({ pods: [pod("a")], budgets: [budget(statusOf(1, 1, 1))] }))
    assert.strictEqual(
      why,
      "The budget requires its only pod to be healthy, so it never permits an eviction: add a replica, or relax the budget."
    )
  })

  it("is that pods crash elsewhere, of which three are named", () => {
    const crashing = ["b", "c", "d", "e"].map((name) => pod(name, { node: "n2", crashing: true }))
    const why = whyOf(planDrainOf({ pods: [pod("a"), ...crashing], budgets: [budget(statusOf(1, 1, 5))] }))
    const one = (name: string) => `default/${name} on n2 is not ready (CrashLoopBackOff, 7 restarts)`
    assert.strictEqual(why, `Unhealthy pods: ${one("b")}; ${one("c")}; ${one("d")}; and 1 more.`)
  })

  it("is that it protects even a crashing pod", () => {
    const why = whyOf(
      planDrainOf({
        pods: [pod("a", { crashing: true }), pod("b", { node: "n2" })],
        budgets: [budget(statusOf(1, 2, 3))]
      })
    )
    assert.strictEqual(
      why,
      "It is not ready (CrashLoopBackOff, 7 restarts) and serves no requests, but while the budget lacks healthy pods it protects unready ones too: unhealthyPodEvictionPolicy AlwaysAllow would permit the eviction."
    )
  })

  it("is that a replacement fits on no node, or does not become ready", () => {
    const pods = [pod("a"), pod("b")]
    const lost = whyOf(planDrainOf({ pods, budgets: [budget(statusOf(2, 1, 2))] }, {}, ""))
    assert.strictEqual(lost, "Unhealthy pods: the replacement of default/a fits on no node.")
    const dead = { nodes: [node("n1"), node("n2"), node("n3", "Unknown")], pods, budgets: [budget(statusOf(2, 1, 2))] }
    assert.strictEqual(
      whyOf(planDrainOf(dead)),
      "Unhealthy pods: the replacement of default/a does not become ready on n3."
    )
  })

  it("is that its controller cannot compute it", () => {
    const conditions = [
      { type: "DisruptionAllowed", status: "False" as const, reason: "SyncFailed", message: "no controllers" }
    ]
    const [one] = podsOf(planDrainOf({ pods: [pod("a")], budgets: [budget({ ...statusOf(0, 0, 0), conditions })] }))
    assert.strictEqual(one?.block?.message, "The disruption budget web is still being processed by the server.")
    assert.include(one?.block?.why, "The disruption controller cannot compute how many pods it needs (no controllers)")
  })

  it("is that several budgets select the pod", () => {
    const planned = planDrainOf({
      pods: [pod("a")],
      budgets: [budget(statusOf(1, 0, 1)), budget(statusOf(1, 0, 1), {}, "all")]
    })
    assert.include(whyOf(planned), "Budgets web and all select it")
  })
})

describe("a pod that is evicted uncounted", () => {
  const uncounted = (spec: NonNullable<PodDisruptionBudget["spec"]>, healthy: number, crashing = true) =>
    podsOf(
      planDrainOf({
        pods: [pod("a", { crashing }), pod("b", { node: "n2" })],
        budgets: [budget(statusOf(healthy, 1, 2), spec)]
      })
    )[0]?.uncounted

  it("crashes, and its budget ignores it or has enough pods without it", () => {
    assert.match(
      uncounted({ unhealthyPodEvictionPolicy: "AlwaysAllow" }, 0) ?? "",
      /budget web permits the eviction .* AlwaysAllow\.$/
    )
    assert.match(uncounted({}, 1) ?? "", /the budget needs 1 healthy pods and has 1 without it\.$/)
  })

  it("is never a ready one", () => {
    assert.isUndefined(uncounted({}, 2, false))
  })
})

describe("what a plan adds", () => {
  const daemonSets: ClusterSnapshot["daemonSets"] = [
    {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "web", namespace: "default" },
      spec: { selector: {}, template: { spec: { containers: [] } } }
    }
  ]
  const all = [
    pod("agent", { owner: "DaemonSet" }),
    pod("bare", { owner: "" }),
    pod("cache", { spec: { volumes: [{ name: "v", emptyDir: {} }] } })
  ]
  const wants = (pods: ReadonlyArray<Pod>, options: Partial<PlanDrainOptions> = {}) =>
    planDrainOf({ pods, daemonSets }, options).nodes[0]?.wants

  it("gives the flags with which kubectl starts, and no others", () => {
    assert.deepStrictEqual(wants(all), ["--ignore-daemonsets", "--delete-emptydir-data", "--force"])
    assert.deepStrictEqual(wants(all, { force: true }), ["--ignore-daemonsets", "--delete-emptydir-data"])
    assert.deepStrictEqual(wants(all.slice(2)), ["--delete-emptydir-data"])
    assert.deepStrictEqual(wants([pod("a")]), [])
    const orphan = planDrainOf({ pods: all.slice(0, 1) }, { ignoreDaemonsets: true })
    assert.deepStrictEqual(orphan.nodes[0]?.wants, ["--force"])
  })

  it("gives the reason why pods stay", () => {
    const mirror = pod("etcd", { owner: "Node", meta: { annotations: { "kubernetes.io/config.mirror": "x" } } })
    const planned = planDrainOf({ pods: [...all.slice(0, 1), mirror], daemonSets }, { ignoreDaemonsets: true })
    assert.deepStrictEqual(
      podsOf(planned).map(({ staysBecause }) => staysBecause),
      ["its DaemonSet runs one on each node", "a static pod: only its kubelet can stop it"]
    )
  })

  it("names the pods that kubectl stops waiting for", () => {
    const dead = { nodes: [node("n1", "Unknown"), node("n3")], pods: [pod("a")] }
    const [one] = podsOf(planDrainOf(dead, { skipWaitForDeleteTimeoutSeconds: 20 }))
    assert.strictEqual(
      one?.leftBehind,
      "the kubelet of node n1 does not respond; kubectl stops waiting 20s after its deletion timestamp"
    )
  })

  it("recreates nothing in a terminating namespace", () => {
    const namespaces: ReadonlyArray<Namespace> = [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "default", deletionTimestamp: "2026-01-01T00:00:00Z" } }
    ]
    // The budget would refuse; but the namespace controller deletes without asking it.
    const planned = planDrainOf({ pods: [pod("a")], namespaces, budgets: [budget(statusOf(1, 1, 1))] })
    assert.isFalse(planned.blocked)
    assert.deepStrictEqual(podsOf(planned)[0]?.replacement, { kind: "none", why: "its namespace is being deleted" })
  })
})
