import type { Node } from "@rollcall/api"
import { refused } from "@rollcall/cluster/testing"
import { assert, describe, it } from "vitest"
import { CloudWorld } from "./CloudWorld.ts"

describe("the cloud node controller", () => {
  it("initialises a node that waits, in one update and one patch of its addresses", () => {
    const world = new CloudWorld()
    world.start()
    world.addWaiting("a")
    world.runTo(1)
    const { metadata, spec, status } = world.api.node("a")
    assert.strictEqual(spec?.providerID, "p://i-a")
    assert.deepStrictEqual(world.taints("a"), [])
    assert.deepInclude(metadata.labels, {
      "topology.kubernetes.io/zone": "z1",
      "failure-domain.beta.kubernetes.io/zone": "z1",
      "node.kubernetes.io/instance-type": "m8"
    })
    assert.deepStrictEqual(status?.addresses, [
      { type: "InternalIP", address: "10.0.0.1" },
      { type: "Hostname", address: "a" }
    ])
    assert.deepStrictEqual(world.writes, ["0 update 200", "0 patch 200"])
    assert.deepStrictEqual(world.told, ["a Synced"])
    world.stop()
  })

  it("retries with back-off while the cloud does not respond or has no such machine", () => {
    const world = new CloudWorld()
    world.cloud.setErrorRate(1)
    world.addWaiting("a")
    world.start()
    world.runTo(10)
    assert.deepStrictEqual(world.writes, [])
    assert.deepStrictEqual(world.taints("a"), ["uninitialized"])
    world.cloud.setErrorRate(undefined)
    world.runTo(30)
    assert.deepStrictEqual(world.taints("a"), [])
    world.stop()
  })

  it("logs why a node is retried, and records an Event for an initialized one", () => {
    const world = new CloudWorld()
    world.addWaiting("a")
    world.cloud.setErrorRate(1)
    const failure = world.sync("a")
    assert.match(failure ?? "", /^failed to get instance metadata for node a: ./)
    world.cloud.setErrorRate(undefined)
    world.start()
    world.runTo(1)
    assert.deepStrictEqual(
      world.api.events.map(({ about, message, reason }) => [about, reason, message]),
      [["a", "Synced", "Node synced successfully"]]
    )
    world.stop()
  })

  it("retries at once after a conflict, and starts over after another API error", () => {
    for (const [code, reason] of [
      [409, "Conflict"],
      [500, "InternalError"]
    ] as const) {
      const world = new CloudWorld()
      let failures = 0
      world.api.intercept = ({ kind, verb }) =>
        kind === "Node" && verb === "update" && failures++ < 3 ? refused(code, reason) : undefined
      world.addWaiting("a")
      world.start()
      world.runTo(5)
      assert.deepStrictEqual(world.taints("a"), [], reason)
      assert.deepStrictEqual(world.told, ["a Synced"])
      world.stop()
    }
  })

  it("writes addresses that have changed, every five minutes, and nothing else", () => {
    const world = new CloudWorld()
    world.addWaiting("a")
    world.start()
    world.runTo(10)
    const before = world.writes.length
    const instance = world.instances.get("a")
    if (instance === undefined) return assert.fail("no instance")
    world.instances.set("a", { ...instance, addresses: [{ type: "InternalIP", address: "10.0.0.2" }] })
    world.runTo(299)
    assert.strictEqual(world.writes.length, before)
    world.runTo(700)
    assert.deepStrictEqual(world.writes.slice(before), ["300 patch 200"])
    assert.strictEqual(world.api.node("a").status?.addresses?.[0]?.address, "10.0.0.2")
    world.stop()
  })
})

describe("the cloud node lifecycle controller", () => {
  it("checks nodes that are not Ready every five seconds, and never those that are", () => {
    const world = new CloudWorld()
    world.add("here", "Unknown")
    world.add("off", "Unknown")
    world.add("gone", "Unknown")
    world.add("ready", "True")
    world.off.add("off")
    world.instances.delete("gone")
    world.instances.delete("ready")
    world.start()
    world.runTo(4)
    assert.isUndefined(world.api.find("Node", "gone"))
    assert.deepStrictEqual([world.taints("here"), world.taints("off"), world.taints("ready")], [[], ["shutdown"], []])
    assert.deepStrictEqual(world.told, ["gone DeletingNode"])
    // No timeAdded, as upstream: it is no NoExecute taint.
    assert.deepStrictEqual(world.api.node("off").spec?.taints, [
      { key: "node.cloudprovider.kubernetes.io/shutdown", effect: "NoSchedule" }
    ])
    world.off.delete("off")
    world.runTo(9)
    assert.deepStrictEqual(world.taints("off"), ["shutdown"])
    const ready: Node = { ...world.api.node("off"), status: { conditions: [{ type: "Ready", status: "True" }] } }
    world.api.put("Node", ready)
    world.runTo(14)
    assert.deepStrictEqual(world.taints("off"), [])
    world.stop()
  })

  it("says that it deletes before it does, and that it could not", () => {
    const world = new CloudWorld()
    world.add("a", "False")
    world.instances.delete("a")
    world.api.intercept = ({ verb }) => (verb === "delete" ? refused(500, "boom") : undefined)
    world.start()
    world.runTo(1)
    assert.deepStrictEqual(
      world.api.events.map(({ message, reason }) => [reason, message]),
      [
        ["DeletingNode", "Deleting node a because it does not exist in the cloud provider"],
        ["DeletingNodeFailed", "Failed deleting node a: boom"]
      ]
    )
    world.stop()
  })

  it("deletes the pods first, as the old node controller did", () => {
    const world = new CloudWorld()
    world.add("a", "Unknown")
    world.instances.delete("a")
    for (const node of ["a", "b"]) {
      world.api.put("Pod", {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: `p-${node}`, namespace: "default" },
        spec: { nodeName: node, containers: [] }
      } as never)
    }
    const listed: Array<unknown> = []
    world.api.intercept = (request) => {
      if (request.verb === "list" && request.kind === "Pod") listed.push(request.fieldSelector)
      return undefined
    }
    world.start({ goneNodes: "deleteWithPods" })
    world.runTo(1)
    assert.deepStrictEqual(listed, ["spec.nodeName=a"])
    assert.isUndefined(world.api.pod("p-a"))
    assert.isDefined(world.api.pod("p-b"))
    assert.isUndefined(world.api.find("Node", "a"))
    world.stop()
  })
})

describe("a modelled cloud", () => {
  it("knows a machine by the ID on its Node: one that was replaced is not the one before", () => {
    const world = new CloudWorld()
    world.add("a", "Unknown", { providerID: "p://i-a" })
    world.start()
    world.runTo(1)
    assert.isDefined(world.api.find("Node", "a"))
    world.cloud.remove("a")
    world.cloud.replace("a")
    assert.strictEqual(world.cloud.metadataOf("a")?.providerID, "p://i-a-1")
    world.runTo(6)
    assert.isUndefined(world.api.find("Node", "a"))
    world.stop()
  })
})
