import {
  formatMicroTime,
  formatTime,
  type Lease,
  type Node,
  type Pod,
  type Taint,
  type Toleration
} from "@rollcall/api"
import { assert, describe, it } from "vitest"
import {
  type EvictionForecast,
  forecastEvictions,
  type NodeLifecycleSettings,
  nodeLifecycleSettings
} from "../../src/index.ts"
import { tolerationsFor } from "../TestCluster.ts"

const START_MS = Date.UTC(2026, 0, 1)
const timeAt = (seconds: number) => formatTime(START_MS + seconds * 1000)
const NOW = 1000

interface NodeOptions {
  readonly ready?: "True" | "False" | "Unknown"
  /** When Ready last changed. */
  readonly since?: number
  /** When it was last heard of. */
  readonly sign?: number
  readonly zone?: string
  readonly taints?: ReadonlyArray<Taint>
  readonly labels?: Readonly<Record<string, string>>
}

const node = (name: string, given: NodeOptions = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name,
    creationTimestamp: timeAt(0),
    labels: { "topology.kubernetes.io/zone": given.zone ?? "a", ...given.labels }
  },
  spec: { taints: given.taints ?? [] },
  status: {
    conditions:
      given.ready === undefined
        ? []
        : [
            {
              type: "Ready",
              status: given.ready,
              ...(given.ready === "Unknown" ? { reason: "NodeStatusUnknown" } : {}),
              lastHeartbeatTime: timeAt(given.sign ?? NOW - 60),
              lastTransitionTime: timeAt(given.since ?? 10)
            }
          ]
  }
})

const lease = (name: string, sign = NOW - 3): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name, namespace: "kube-node-lease" },
  spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: formatMicroTime(START_MS + sign * 1000) }
})

const pod = (name: string, nodeName: string, tolerations: ReadonlyArray<Toleration> = tolerationsFor(300)): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", creationTimestamp: timeAt(20) },
  spec: { nodeName, tolerations, containers: [] },
  status: { phase: "Running" }
})

const unreachableTaint = (seconds: number): Taint => ({
  key: "node.kubernetes.io/unreachable",
  effect: "NoExecute",
  timeAdded: timeAt(seconds)
})
const notReadyTaint = (seconds: number): Taint => ({
  ...unreachableTaint(seconds),
  key: "node.kubernetes.io/not-ready"
})

const forecast = (
  nodes: ReadonlyArray<Node>,
  pods: ReadonlyArray<Pod>,
  leases: ReadonlyArray<Lease> | undefined,
  settings: Partial<NodeLifecycleSettings> = {}
): EvictionForecast =>
  forecastEvictions({
    nowMs: START_MS + NOW * 1000,
    nodes,
    leases,
    pods,
    settings: nodeLifecycleSettings(settings),
    outOfService: true
  })

const second = (ms: number | undefined) => (ms === undefined ? undefined : (ms - START_MS) / 1000)
const nodeOf = ({ nodes }: EvictionForecast, name: string) =>
  nodes.find((one) => one.node.metadata.name === name) ?? assert.fail(`nothing is said of ${name}`)
const podsOf = (said: EvictionForecast, name: string) =>
  nodeOf(said, name).pods.map(({ deletedAtMs, outcome, pod: { metadata }, why }) => [
    metadata.name,
    outcome,
    second(deletedAtMs) ?? why
  ])

const healthyNodes = ["w1", "w2"].map((name) => node(name, { ready: "True" }))
const healthyLeases = ["w1", "w2"].map((name) => lease(name))

describe("a forecast of evictions", () => {
  it("says nothing of nodes that are well", () => {
    assert.isEmpty(forecast(healthyNodes, [pod("p", "w1")], healthyLeases).nodes)
  })

  it("finds silence where a renewal is overdue, to the second", () => {
    const of = (sign: number) =>
      forecast([...healthyNodes, node("n", { ready: "True" })], [], [...healthyLeases, lease("n", sign)]).nodes.length
    assert.strictEqual(of(NOW - 15), 0)
    assert.strictEqual(of(NOW - 15.1), 1)
  })

  it("treats no node as silent without leases", () => {
    assert.isEmpty(forecast([node("n", { ready: "True", sign: NOW - 200 })], [], undefined).nodes)
  })

  it("takes the heartbeat of a node that has no lease", () => {
    const said = forecast(
      [...healthyNodes, node("n", { ready: "True", sign: NOW - 30 })],
      [pod("p", "n")],
      healthyLeases
    )
    assert.strictEqual(second(nodeOf(said, "n").unknownAtMs), NOW + 20)
    assert.deepStrictEqual(podsOf(said, "n"), [["p", "deleted", NOW + 320]])
  })

  it("gives a node that never posted a status its startup grace", () => {
    const bare = node("n")
    const young = { ...bare, metadata: { ...bare.metadata, creationTimestamp: timeAt(NOW - 40) } }
    const said = forecast([...healthyNodes, young], [], healthyLeases)
    assert.strictEqual(second(nodeOf(said, "n").unknownAtMs), NOW + 20)
    const renewing = forecast([...healthyNodes, young], [], [...healthyLeases, lease("n")])
    assert.isUndefined(nodeOf(renewing, "n").unknownAtMs)
  })

  it("exchanges the taint of a node that was not ready, and moves no pod's time", () => {
    const lost = node("n", { ready: "False", since: NOW - 100, sign: NOW - 40, taints: [notReadyTaint(NOW - 98)] })
    const said = forecast([...healthyNodes, lost], [pod("p", "n")], [...healthyLeases, lease("n", NOW - 40)])
    assert.strictEqual(second(nodeOf(said, "n").swappedAtMs), NOW + 10)
    assert.deepStrictEqual(podsOf(said, "n"), [["p", "deleted", NOW - 98 + 300]])
  })

  it("removes the taint of a node that is ready again, but keeps deletions that were due before", () => {
    const back = node("n", { ready: "True", since: NOW - 1, taints: [unreachableTaint(NOW - 100)] })
    const said = forecast(
      [...healthyNodes, back],
      [pod("p", "n"), pod("q", "n", tolerationsFor(100))],
      [...healthyLeases, lease("n")]
    )
    assert.strictEqual(second(nodeOf(said, "n").taintRemovedAtMs), NOW)
    assert.deepStrictEqual(podsOf(said, "n"), [
      ["p", "stays", "called-off"],
      ["q", "deleted", NOW]
    ])
  })

  it("queues nodes that do not count in their zone like any other", () => {
    const labels = { "node.kubernetes.io/exclude-disruption": "" }
    const lost = node("n", { ready: "Unknown", since: NOW - 1, labels })
    const said = forecast([...healthyNodes, lost], [pod("p", "n")], healthyLeases)
    assert.deepInclude(said.zones[0], { ready: 2, notReady: 0, state: "Normal" })
    assert.deepStrictEqual(podsOf(said, "n"), [["p", "deleted", NOW + 300]])
  })

  it("counts a token from the last taint of the zone", () => {
    const nodes = [
      ...healthyNodes,
      node("n1", { ready: "Unknown", since: NOW - 4, taints: [unreachableTaint(NOW - 4)] }),
      node("n2", { ready: "Unknown", since: NOW - 4 }),
      node("m", { ready: "Unknown", since: NOW - 4, zone: "b" }),
      node("m2", { ready: "True", zone: "b" })
    ]
    const said = forecast(nodes, [], [...healthyLeases, lease("m2")])
    assert.strictEqual(second(nodeOf(said, "n2").queueReachedAtMs), NOW + 6)
    assert.strictEqual(nodeOf(said, "n2").place, 1)
  })

  it("says that a rate of 0 stops all once the first token is spent", () => {
    const lost = ["n1", "n2"].map((name) => node(name, { ready: "Unknown", since: NOW - 1 }))
    const said = forecast([...healthyNodes, ...lost], [pod("p", "n1"), pod("q", "n2")], healthyLeases, {
      nodeEvictionRate: 0
    })
    assert.deepStrictEqual(podsOf(said, "n1"), [["p", "deleted", NOW + 300]])
    assert.deepStrictEqual(podsOf(said, "n2"), [["q", "stays", "node-waits"]])
    assert.strictEqual(nodeOf(said, "n2").stoppedBy, "rate")
  })

  it("bears with clocks that are ahead", () => {
    const ahead = node("n", { ready: "Unknown", since: NOW + 30 })
    const said = forecast([...healthyNodes, ahead], [pod("p", "n")], [lease("w1", NOW + 40), lease("w2")])
    assert.deepInclude(said.zones[0], { ready: 2, notReady: 1 })
    assert.deepStrictEqual(podsOf(said, "n"), [["p", "deleted", NOW + 300]])
  })

  it("reports what completes the deletion of a terminating pod", () => {
    const going = (name: string, on: string): Pod => {
      const one = pod(name, on)
      return {
        ...one,
        metadata: { ...one.metadata, deletionTimestamp: timeAt(NOW + 10), deletionGracePeriodSeconds: 30 }
      }
    }
    const outOfService: Taint = { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" }
    const nodes = [
      ...healthyNodes,
      node("gone", { ready: "Unknown", since: NOW - 100, taints: [unreachableTaint(NOW - 100)] }),
      node("off", { ready: "Unknown", since: NOW - 100, taints: [unreachableTaint(NOW - 100), outOfService] }),
      node("ill", { ready: "False", since: NOW - 100, taints: [notReadyTaint(NOW - 90)] })
    ]
    const names = ["gone", "off", "ill"]
    const said = forecast(
      nodes,
      names.map((name) => going(`on-${name}`, name)),
      [...healthyLeases, lease("ill")]
    )
    const ends = names.map((name) => nodeOf(said, name).pods.map(({ endedBy }) => endedBy))
    assert.deepStrictEqual(ends, [["nobody"], ["pod-gc"], ["kubelet"]])
    assert.strictEqual(second(nodeOf(said, "gone").pods[0]?.terminatingSinceMs), NOW - 20)
  })
})
