import { formatTime, type Lease, type Node, type Pod, releases } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import {
  type ClusterObjects,
  renderEvictionsJson,
  renderEvictionsTable,
  reportEvictions
} from "../../src/forecast/report/index.ts"
import { nodeLifecycleSettings } from "../../src/index.ts"

const NOW = Date.UTC(2026, 0, 2, 3)
const timeOf = (secondsAgo: number) => formatTime(NOW - secondsAgo * 1000)

const node = (name: string, status: string, secondsAgo: number, taints: ReadonlyArray<object> = []): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { "topology.kubernetes.io/zone": name.slice(0, 1) } },
  spec: { taints: taints as never },
  status: {
    conditions: [
      { type: "Ready", status, lastHeartbeatTime: timeOf(secondsAgo), lastTransitionTime: timeOf(secondsAgo) }
    ]
  }
})
const lease = (name: string, secondsAgo: number): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name, namespace: "kube-node-lease" },
  spec: { holderIdentity: name, renewTime: timeOf(secondsAgo) }
})
const pod = (name: string, nodeName: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop", uid: name },
  spec: {
    nodeName,
    containers: [{ name: "c" }],
    tolerations: [
      { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }
    ]
  },
  status: { phase: "Running" }
})

const unreachableTaint = { key: "node.kubernetes.io/unreachable", effect: "NoExecute", timeAdded: timeOf(60) }
const observedCluster: ClusterObjects = {
  nowMs: NOW,
  nodes: [
    node("a1", "True", 5),
    node("a2", "True", 5),
    node("b1", "Unknown", 61, [unreachableTaint]),
    node("b2", "True", 5)
  ],
  leases: [lease("a1", 5), lease("a2", 5), lease("b1", 120), lease("b2", 5)],
  pods: [pod("web", "b1")],
  gaps: [{ kind: "Lease", message: "leases may be out of date" }]
}
const release = releases["1.36"]
const settings = nodeLifecycleSettings({}, release)

describe("the report of the next evictions", () => {
  it("has a table, which names what is not known", () => {
    const table = renderEvictionsTable(reportEvictions(observedCluster, settings, release))
    assert.include(table, "As of 2026-01-02T03:00:00Z, 1 node is unhealthy.")
    assert.match(table, /^ {2}4m +03:04:00 +1 pod of b1 deleted, 5m? ?.*: shop\/web$/m)
    assert.include(table, "\nNot known\n  leases may be out of date\n")
  })

  it("has a JSON form", () => {
    const { asOf, kind, nodes } = JSON.parse(renderEvictionsJson(reportEvictions(observedCluster, settings, release)))
    assert.deepStrictEqual([asOf, kind], ["2026-01-02T03:00:00Z", "EvictionForecast"])
    assert.deepInclude(nodes[0].pods[0], { namespace: "shop", name: "web" })
    assert.strictEqual(nodes[0].pods[0].deleted.inSeconds, 240)
  })

  it("contains only the requested nodes", () => {
    const report = reportEvictions({ ...observedCluster, gaps: [] }, settings, release, ["a1"])
    assert.deepStrictEqual(report.forecast.nodes, [])
    assert.include(
      renderEvictionsTable(report),
      "all requested nodes are healthy: no pod is evicted because of its node."
    )
  })

  it("needs no Leases in releases without them", () => {
    const old = releases["1.4"]
    assert.deepStrictEqual(reportEvictions(observedCluster, nodeLifecycleSettings({}, old), old).gaps, [])
    assert.lengthOf(reportEvictions(observedCluster, settings, release).gaps, 1)
  })
})
