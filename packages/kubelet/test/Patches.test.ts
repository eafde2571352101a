import type { Node, Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { nodePatch } from "../src/node/NodePatch.ts"
import { podPatch } from "../src/pod/PodPatch.ts"
import { PodNetwork } from "../src/runtime/PodNetwork.ts"

const node = (status: Node["status"], labels: Record<string, string> = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n", labels },
  ...(status === undefined ? {} : { status })
})

describe("nodePatch", () => {
  it("names only conditions that differ, and in them only fields that do", () => {
    const ready = { type: "Ready", status: "True", lastHeartbeatTime: "1", reason: "R" } as const
    const other = { type: "MemoryPressure", status: "False" } as const
    assert.deepStrictEqual(
      nodePatch(
        node({ conditions: [other, ready] }),
        node({ conditions: [other, { ...ready, lastHeartbeatTime: "2" }] })
      ),
      {
        status: {
          "$setElementOrder/conditions": [{ type: "MemoryPressure" }, { type: "Ready" }],
          conditions: [{ type: "Ready", lastHeartbeatTime: "2" }]
        }
      }
    )
  })

  it("replaces addresses whole, removes missing fields, and includes labels", () => {
    const before = node(
      { addresses: [{ type: "Hostname", address: "a" }], capacity: { cpu: "1", gpu: "2" } },
      { old: "x" }
    )
    const after = node({ addresses: [{ type: "Hostname", address: "b" }], capacity: { cpu: "1" } }, { fresh: "y" })
    assert.deepStrictEqual(nodePatch(before, after), {
      metadata: { labels: { fresh: "y", old: null } },
      status: { addresses: [{ type: "Hostname", address: "b" }, { $patch: "replace" }], capacity: { gpu: null } }
    })
  })
})

describe("podPatch", () => {
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", uid: "u" },
    spec: { containers: [] },
    status: {
      phase: "Running",
      podIP: "10.0.0.1",
      podIPs: [{ ip: "10.0.0.1" }],
      conditions: [
        { type: "Ready", status: "True" },
        { type: "DisruptionTarget", status: "True" }
      ]
    }
  }

  it("is nothing when the API has the kubelet's part, whatever others wrote", () => {
    assert.isUndefined(podPatch(pod, pod.status ?? {}))
    assert.isUndefined(podPatch(pod, { ...pod.status, conditions: [{ type: "Ready", status: "True" }] }))
  })

  it("leaves a terminal phase as it is, with its reason", () => {
    const conditions = [{ type: "Ready", status: "False", reason: "PodFailed" }]
    const failed: Pod = {
      ...pod,
      status: { ...pod.status, phase: "Failed", reason: "Gone", message: "lost", conditions }
    }
    for (const phase of ["Running", "Succeeded", "Failed"] as const) {
      assert.isUndefined(podPatch(failed, { ...pod.status, phase }))
    }
    assert.deepStrictEqual(
      podPatch(failed, { ...pod.status, phase: "Pending", reason: "Other", podIP: "10.0.0.1", qosClass: "Burstable" }),
      {
        metadata: { uid: "u" },
        status: { qosClass: "Burstable" }
      }
    )
    assert.deepStrictEqual(podPatch(pod, { ...pod.status, phase: "Failed" }), {
      metadata: { uid: "u" },
      status: { phase: "Failed" }
    })
  })

  it("is bound to the revision that it was made from when it says that the pod lives", () => {
    const metadata = { ...pod.metadata, resourceVersion: "7" }
    const seen: Pod = { ...pod, metadata, status: { ...pod.status, phase: "Pending" } }
    const running = { ...seen.status, phase: "Running" } as const
    assert.deepStrictEqual(podPatch(seen, running)?.metadata, { uid: "u", resourceVersion: "7" })
    assert.deepStrictEqual(podPatch(seen, { ...seen.status, qosClass: "Burstable" })?.metadata, { uid: "u" })
    assert.deepStrictEqual(podPatch(seen, { ...seen.status, phase: "Succeeded" })?.metadata, { uid: "u" })
    const annotations = { "kubernetes.io/config.source": "file" }
    const mirror: Pod = { ...seen, metadata: { ...metadata, annotations } }
    assert.deepStrictEqual(podPatch(mirror, running)?.metadata, { uid: "u" })
  })

  it("is bound to the uid and replaces addresses", () => {
    assert.deepStrictEqual(podPatch(pod, { ...pod.status, podIP: "10.0.0.9", podIPs: [{ ip: "10.0.0.9" }] }), {
      metadata: { uid: "u" },
      status: { podIP: "10.0.0.9", podIPs: [{ $patch: "replace" }, { ip: "10.0.0.9" }] }
    })
  })
})

describe("PodNetwork", () => {
  it("allocates each address once, round-robin", () => {
    const network = new PodNetwork("10.244.3.0/24")
    const taken = Array.from({ length: 100 }, (_, index) => network.allocate(`p${index}`))
    assert.strictEqual(taken[0], "10.244.3.2")
    assert.strictEqual(new Set(taken).size, 100)
    network.release("p0")
    const next = Array.from({ length: 27 }, (_, index) => network.allocate(`q${index}`))
    assert.notInclude(next.slice(0, 26), "10.244.3.2", "the longest free comes last")
    assert.strictEqual(next[26], "10.244.3.2")
    network.setRange("10.9.255.0/24")
    assert.strictEqual(network.allocate("r"), "10.9.255.2")
  })

  it("allocates within its range, and reuses released addresses", () => {
    const network = new PodNetwork("10.0.0.0/29")
    const taken = Array.from({ length: 6 }, (_, index) => network.allocate(`p${index}`))
    assert.deepStrictEqual(taken, ["10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5", "10.0.0.6", "exhausted"])
    network.release("p3")
    assert.strictEqual(network.allocate("q"), "10.0.0.5")
    assert.strictEqual(new PodNetwork("10.0.0.1/32").allocate("p"), "exhausted")
  })

  it("has no address before it has a range, and those of IPv6", () => {
    const network = new PodNetwork(undefined)
    assert.deepStrictEqual([network.isReady, network.allocate("a")], [false, "noRange"])
    network.setRange("nonsense")
    assert.isFalse(network.isReady)
    network.setRange("fd00:0:0:1::/64")
    assert.deepStrictEqual([network.allocate("a"), network.allocate("b")], ["fd00:0:0:1::2", "fd00:0:0:1::3"])
  })

  it("does not give an address that a pod has kept", () => {
    const network = new PodNetwork("10.0.0.0/24")
    network.reserve("old", "10.0.0.2")
    network.reserve("elsewhere", "10.0.1.3")
    assert.deepStrictEqual([network.allocate("a"), network.allocate("b")], ["10.0.0.3", "10.0.0.4"])
  })
})
