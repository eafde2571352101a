import type { Node } from "@rollcall/api"
import { refused } from "@rollcall/cluster/testing"
import { assert, describe, it } from "vitest"
import { CloudTestCluster } from "./CloudTestCluster.ts"

describe("the cloud node controller", () => {
  it("initialises a node that waits, in one update and one patch of its addresses", () => {
    const cluster = new CloudTestCluster()
    cluster.start()
    cluster.addWaiting("a")
    cluster.runTo(1)
    const { metadata, spec, status } = cluster.api.node("a")
    assert.strictEqual(spec?.providerID, "p://i-a")
    assert.deepStrictEqual(cluster.taints("a"), [])
    assert.deepInclude(metadata.labels, {
      "topology.kubernetes.io/zone": "z1",
      "failure-domain.beta.kubernetes.io/zone": "z1",
      "node.kubernetes.io/instance-type": "m8"
    })
    assert.deepStrictEqual(status?.addresses, [
      { type: "InternalIP", address: "10.0.0.1" },
      { type: "Hostname", address: "a" }
    ])
    assert.deepStrictEqual(cluster.writes, ["0 update 200", "0 patch 200"])
    assert.deepStrictEqual(cluster.told, ["a Synced"])
    cluster.stop()
  })

  it("retries with back-off while the cloud does not respond or has no such machine", () => {
    const cluster = new CloudTestCluster()
    cluster.cloud.setErrorRate(1)
    cluster.addWaiting("a")
    cluster.start()
    cluster.runTo(10)
    assert.deepStrictEqual(cluster.writes, [])
    assert.deepStrictEqual(cluster.taints("a"), ["uninitialized"])
    cluster.cloud.setErrorRate(undefined)
    cluster.runTo(30)
    assert.deepStrictEqual(cluster.taints("a"), [])
    cluster.stop()
  })

  it("logs why a node is retried, and records an Event for an initialized one", () => {
    const cluster = new CloudTestCluster()
    cluster.addWaiting("a")
    cluster.cloud.setErrorRate(1)
    const failure = cluster.sync("a")
    assert.match(failure ?? "", /^failed to get instance metadata for node a: ./)
    cluster.cloud.setErrorRate(undefined)
    cluster.start()
    cluster.runTo(1)
    assert.deepStrictEqual(
      cluster.api.events.map(({ about, message, reason }) => [about, reason, message]),
      [["a", "Synced", "Node synced successfully"]]
    )
    cluster.stop()
  })

  it("retries at once after a conflict, and starts over after another API error", () => {
    for (const [code, reason] of [
      [409, "Conflict"],
      [500, "InternalError"]
    ] as const) {
      const cluster = new CloudTestCluster()
      let failures = 0
      cluster.api.intercept = ({ kind, verb }) =>
        kind === "Node" && verb === "update" && failures++ < 3 ? refused(code, reason) : undefined
      cluster.addWaiting("a")
      cluster.start()
      cluster.runTo(5)
      assert.deepStrictEqual(cluster.taints("a"), [], reason)
      assert.deepStrictEqual(cluster.told, ["a Synced"])
      cluster.stop()
    }
  })

  it("writes addresses that have changed, every five minutes, and nothing else", () => {
    const cluster = new CloudTestCluster()
    cluster.addWaiting("a")
    cluster.start()
    cluster.runTo(10)
    const before = cluster.writes.length
    const instance = cluster.instances.get("a")
    if (instance === undefined) return assert.fail("no instance")
    cluster.instances.set("a", { ...instance, addresses: [{ type: "InternalIP", address: "10.0.0.2" }] })
    cluster.runTo(299)
    assert.strictEqual(cluster.writes.length, before)
    cluster.runTo(700)
    assert.deepStrictEqual(cluster.writes.slice(before), ["300 patch 200"])
    assert.strictEqual(cluster.api.node("a").status?.addresses?.[0]?.address, "10.0.0.2")
    cluster.stop()
  })
})

describe("the cloud node lifecycle controller", () => {
  it("checks nodes that are not Ready every five seconds, and never those that are", () => {
    const cluster = new CloudTestCluster()
    cluster.add("here", "Unknown")
    cluster.add("off", "Unknown")
    cluster.add("gone", "Unknown")
    cluster.add("ready", "True")
    cluster.off.add("off")
    cluster.instances.delete("gone")
    cluster.instances.delete("ready")
    cluster.start()
    cluster.runTo(4)
    assert.isUndefined(cluster.api.find("Node", "gone"))
    assert.deepStrictEqual(
      [cluster.taints("here"), cluster.taints("off"), cluster.taints("ready")],
      [[], ["shutdown"], []]
    )
    assert.deepStrictEqual(cluster.told, ["gone DeletingNode"])
    // No timeAdded, as upstream: it is no NoExecute taint.
    assert.deepStrictEqual(cluster.api.node("off").spec?.taints, [
      { key: "node.cloudprovider.kubernetes.io/shutdown", effect: "NoSchedule" }
    ])
    cluster.off.delete("off")
    cluster.runTo(9)
    assert.deepStrictEqual(cluster.taints("off"), ["shutdown"])
    const ready: Node = { ...cluster.api.node("off"), status: { conditions: [{ type: "Ready", status: "True" }] } }
    cluster.api.put("Node", ready)
    cluster.runTo(14)
    assert.deepStrictEqual(cluster.taints("off"), [])
    cluster.stop()
  })

  it("says that it deletes before it does, and that it could not", () => {
    const cluster = new CloudTestCluster()
    cluster.add("a", "False")
    cluster.instances.delete("a")
    cluster.api.intercept = ({ verb }) => (verb === "delete" ? refused(500, "boom") : undefined)
    cluster.start()
    cluster.runTo(1)
    assert.deepStrictEqual(
      cluster.api.events.map(({ message, reason }) => [reason, message]),
      [
        ["DeletingNode", "Deleting node a because it does not exist in the cloud provider"],
        ["DeletingNodeFailed", "Failed deleting node a: boom"]
      ]
    )
    cluster.stop()
  })

  it("deletes the pods first, as the old node controller did", () => {
    const cluster = new CloudTestCluster()
    cluster.add("a", "Unknown")
    cluster.instances.delete("a")
    for (const node of ["a", "b"]) {
      cluster.api.put("Pod", {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: `p-${node}`, namespace: "default" },
        spec: { nodeName: node, containers: [] }
      } as never)
    }
    const listed: Array<unknown> = []
    cluster.api.intercept = (request) => {
      if (request.verb === "list" && request.kind === "Pod") listed.push(request.fieldSelector)
      return undefined
    }
    cluster.start({ goneNodes: "deleteWithPods" })
    cluster.runTo(1)
    assert.deepStrictEqual(listed, ["spec.nodeName=a"])
    assert.isUndefined(cluster.api.pod("p-a"))
    assert.isDefined(cluster.api.pod("p-b"))
    assert.isUndefined(cluster.api.find("Node", "a"))
    cluster.stop()
  })
})

describe("a modelled cloud", () => {
  it("knows a machine by the ID on its Node: one that was replaced is not the one before", () => {
    const cluster = new CloudTestCluster()
    cluster.add("a", "Unknown", { providerID: "p://i-a" })
    cluster.start()
    cluster.runTo(1)
    assert.isDefined(cluster.api.find("Node", "a"))
    cluster.cloud.remove("a")
    cluster.cloud.replace("a")
    assert.strictEqual(cluster.cloud.metadataOf("a")?.providerID, "p://i-a-1")
    cluster.runTo(6)
    assert.isUndefined(cluster.api.find("Node", "a"))
    cluster.stop()
  })
})
