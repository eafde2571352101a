import type { Node } from "@rollcall/api"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { type InstanceMetadata, nodeInitializer } from "../../src/index.ts"

const uninitializedTaint = {
  key: "node.cloudprovider.kubernetes.io/uninitialized",
  value: "true",
  effect: "NoSchedule"
}
const reservedTaint = { key: "reserved", effect: "NoSchedule" }

const uninitializedNode = (changes: Partial<Node> = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n", labels: { mine: "1" } },
  spec: { taints: [uninitializedTaint] },
  ...changes
})

const metadata: InstanceMetadata = {
  providerID: "p://i-1",
  instanceType: "m8",
  nodeAddresses: [{ type: "InternalIP", address: "10.0.0.1" }],
  zone: "z1",
  region: "r1",
  additionalLabels: {}
}

const initializeOrThrow = (node: Node, changes: Partial<InstanceMetadata> = {}): Node =>
  Result.getOrThrow(nodeInitializer(node, { ...metadata, ...changes }))(node)

const refusal = (node: Node, changes: Partial<InstanceMetadata>): string => {
  const made = nodeInitializer(node, { ...metadata, ...changes })
  return Result.isFailure(made) ? made.failure : assert.fail("no failure")
}

describe("a node that its cloud initialises", () => {
  it("gets type, zone and region under both names of each label, and keeps its own labels", () => {
    assert.deepStrictEqual(initializeOrThrow(uninitializedNode()).metadata.labels, {
      mine: "1",
      "beta.kubernetes.io/instance-type": "m8",
      "node.kubernetes.io/instance-type": "m8",
      "failure-domain.beta.kubernetes.io/zone": "z1",
      "topology.kubernetes.io/zone": "z1",
      "failure-domain.beta.kubernetes.io/region": "r1",
      "topology.kubernetes.io/region": "r1"
    })
    const nothing = { instanceType: "", zone: "", region: "" }
    assert.deepStrictEqual(initializeOrThrow(uninitializedNode(), nothing).metadata.labels, { mine: "1" })
  })

  it("gets the cloud's further labels, but none of Kubernetes' and none in place of its own", () => {
    const additionalLabels = {
      mine: "2",
      "rack.example.com/row": "7",
      "example.com/kubernetes.io": "x",
      "notkubernetes.io/a": "y",
      "kubernetes.io/a": "no",
      "k8s.io/a": "no",
      "node.kubernetes.io/a": "no",
      "sub.k8s.io/a": "no"
    }
    const nothing = { instanceType: "", zone: "", region: "" }
    assert.deepStrictEqual(initializeOrThrow(uninitializedNode(), { ...nothing, additionalLabels }).metadata.labels, {
      mine: "1",
      "rack.example.com/row": "7",
      "example.com/kubernetes.io": "x",
      "notkubernetes.io/a": "y"
    })
  })

  it("loses the taint by its key and keeps the others", () => {
    const spec = { taints: [reservedTaint, { ...uninitializedTaint, value: "x", effect: "NoExecute" }] }
    assert.deepStrictEqual(initializeOrThrow(uninitializedNode({ spec })).spec, {
      providerID: "p://i-1",
      taints: [reservedTaint]
    })
    assert.deepStrictEqual(initializeOrThrow(uninitializedNode()).spec, { providerID: "p://i-1" })
  })

  it("is changed in its current version, not in the one from before the cloud's answer", () => {
    const change = Result.getOrThrow(nodeInitializer(uninitializedNode(), metadata))
    assert.deepStrictEqual(change({ apiVersion: "v1", kind: "Node", metadata: { name: "n" } }).spec, {
      providerID: "p://i-1"
    })
    const later = change(
      uninitializedNode({ spec: { providerID: "p://own", podCIDR: "10.0.0.0/24", taints: [reservedTaint] } })
    )
    assert.deepStrictEqual(later.spec, { providerID: "p://own", podCIDR: "10.0.0.0/24", taints: [reservedTaint] })
  })

  it("keeps the provider ID that its kubelet set, and waits while there is none", () => {
    const own = uninitializedNode({ spec: { providerID: "p://own" } })
    assert.strictEqual(initializeOrThrow(own).spec?.providerID, "p://own")
    assert.strictEqual(initializeOrThrow(own, { providerID: "" }).spec?.providerID, "p://own")
    for (const node of [uninitializedNode(), uninitializedNode({ spec: { providerID: "" } })]) {
      assert.strictEqual(
        refusal(node, { providerID: "" }),
        "failed to get instance metadata for node n: cloud provider does not set node provider ID for node n"
      )
    }
    const { spec: _, ...bare } = uninitializedNode()
    assert.include(refusal(bare, { providerID: "" }), "does not set node provider ID")
    assert.strictEqual(initializeOrThrow(bare).spec?.providerID, "p://i-1")
  })

  it("needs no provider ID where its cloud knows none", () => {
    const change = nodeInitializer(uninitializedNode(), { ...metadata, providerID: undefined })
    assert.deepStrictEqual(Result.getOrThrow(change)(uninitializedNode()).spec, {})
  })

  it("stays uninitialized while its cloud does not have the kubelet's node IP", () => {
    const annotations = { "alpha.kubernetes.io/provided-node-ip": "10.0.0.9" }
    assert.strictEqual(
      refusal(uninitializedNode({ metadata: { name: "n", annotations } }), {}),
      'failed to get node modifiers from cloud provider: provided node ip for node "n" is not valid: failed to get node address from cloud provider that matches ip: 10.0.0.9'
    )
  })
})
