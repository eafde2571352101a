import type { Node, NodeAddress, Taint } from "@rollcall/api"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { addressesOf, addressesPatch, preferProvided } from "../../src/cloud/nodeAddresses.ts"
import { addressesToWrite } from "../../src/index.ts"
import { isUninitialized } from "../../src/rules.ts"

const internalIP = (address: string): NodeAddress => ({ type: "InternalIP", address })
const externalIP = (address: string): NodeAddress => ({ type: "ExternalIP", address })
const hostname = (address: string): NodeAddress => ({ type: "Hostname", address })

const nodeOf = ({
  addresses,
  provided,
  taints
}: {
  readonly addresses?: ReadonlyArray<NodeAddress>
  readonly provided?: string
  readonly taints?: ReadonlyArray<Taint>
} = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name: "n",
    ...(provided === undefined ? {} : { annotations: { "alpha.kubernetes.io/provided-node-ip": provided } })
  },
  ...(taints === undefined ? {} : { spec: { taints } }),
  ...(addresses === undefined ? {} : { status: { addresses } })
})

const failureOf = <A>(result: Result.Result<A, string>): string =>
  Result.isFailure(result) ? result.failure : assert.fail("no failure")

describe("a kubelet's node IP", () => {
  const cloud = [internalIP("10.0.0.1"), internalIP("10.0.0.2"), externalIP("1.1.1.1"), hostname("h")]
  const preferred = (provided: string, addresses: ReadonlyArray<NodeAddress> = cloud) =>
    Result.getOrThrow(preferProvided(addresses, provided))

  it("comes first, and is the only address of its type", () => {
    assert.deepStrictEqual(preferred("10.0.0.2"), [internalIP("10.0.0.2"), externalIP("1.1.1.1"), hostname("h")])
    assert.deepStrictEqual(preferred("1.1.1.1"), [
      externalIP("1.1.1.1"),
      internalIP("10.0.0.1"),
      internalIP("10.0.0.2"),
      hostname("h")
    ])
  })

  it("closes each type under which the cloud has it", () => {
    const both = [internalIP("10.0.0.1"), externalIP("10.0.0.1"), internalIP("10.0.0.2"), externalIP("1.1.1.1")]
    assert.deepStrictEqual(preferred("10.0.0.1", both), [internalIP("10.0.0.1"), externalIP("10.0.0.1")])
  })

  it("of two families keeps the kubelet's order", () => {
    const dual = [internalIP("10.0.0.1"), internalIP("fd00::1"), internalIP("fd00::2")]
    assert.deepStrictEqual(preferred("fd00::1,10.0.0.1", dual), [internalIP("fd00::1"), internalIP("10.0.0.1")])
    assert.deepStrictEqual(preferred("10.0.0.1,fd00::1", dual), [internalIP("10.0.0.1"), internalIP("fd00::1")])
  })

  it("is compared as an address and kept as the cloud writes it", () => {
    const written = [internalIP("fd00:0:0::0001"), hostname("not an address")]
    assert.deepStrictEqual(preferred("fd00::1", written), written)
  })

  it("keeps an address that the cloud reports twice", () => {
    const twice = [externalIP("1.1.1.1"), externalIP("1.1.1.1"), internalIP("10.0.0.1"), internalIP("10.0.0.1")]
    assert.deepStrictEqual(preferred("10.0.0.1", twice), [...twice.slice(2), ...twice.slice(0, 2)])
  })

  it("is refused where it is neither one address nor a pair of both families, or the cloud does not have it", () => {
    const refusals = {
      "": 'failed to parse node IP "": could not parse ""',
      "10.0.0.1, fd00::1": 'failed to parse node IP "10.0.0.1, fd00::1": could not parse " fd00::1"',
      "10.0.0.1,10.0.0.2":
        'failed to parse node IP "10.0.0.1,10.0.0.2": must contain either a single IP or a dual-stack pair of IPs',
      "10.0.0.1,fd00::1,fd00::2":
        'failed to parse node IP "10.0.0.1,fd00::1,fd00::2": must contain either a single IP or a dual-stack pair of IPs',
      "10.0.0.1,::": `failed to parse node IP "10.0.0.1,::": dual-stack node IP cannot include '0.0.0.0' or '::'`,
      "0.0.0.0,fd00::1": `failed to parse node IP "0.0.0.0,fd00::1": dual-stack node IP cannot include '0.0.0.0' or '::'`,
      "0.0.0.0": "failed to get node address from cloud provider that matches ip: 0.0.0.0",
      "10.0.0.3": "failed to get node address from cloud provider that matches ip: 10.0.0.3",
      "10.0.0.1,fd00::1": "failed to get node address from cloud provider that matches ip: fd00::1"
    }
    for (const [provided, message] of Object.entries(refusals)) {
      assert.strictEqual(failureOf(preferProvided(cloud, provided)), message)
    }
  })

  it("is read from the Node's annotation, even when that is empty", () => {
    assert.deepStrictEqual(Result.getOrThrow(addressesOf(nodeOf(), cloud)), cloud)
    assert.deepStrictEqual(Result.getOrThrow(addressesOf(nodeOf({ provided: "10.0.0.2" }), cloud))[0], cloud[1])
    assert.include(failureOf(addressesOf(nodeOf({ provided: "" }), cloud)), "could not parse")
  })
})

describe("a node's addresses by its cloud", () => {
  const written = (node: Node, cloud: ReadonlyArray<NodeAddress>) => Result.getOrThrow(addressesToWrite(node, cloud))

  it("are written where they changed, with the kubelet's hostname after them", () => {
    const node = nodeOf({ addresses: [internalIP("10.0.0.1"), hostname("h")] })
    assert.isUndefined(written(node, [internalIP("10.0.0.1")]))
    assert.deepStrictEqual(written(node, [internalIP("10.0.0.2")]), [internalIP("10.0.0.2"), hostname("h")])
    assert.deepStrictEqual(written(nodeOf(), [internalIP("10.0.0.1")]), [internalIP("10.0.0.1")])
  })

  it("have the cloud's hostname if it reports one", () => {
    const node = nodeOf({ addresses: [internalIP("10.0.0.1"), hostname("h")] })
    const cloud = [internalIP("10.0.0.1"), hostname("cloud")]
    assert.deepStrictEqual(written(node, cloud), cloud)
  })

  it("are written when one is added or removed, not for another order", () => {
    const one = [internalIP("10.0.0.1")]
    const two = [internalIP("10.0.0.1"), externalIP("1.1.1.1")]
    assert.deepStrictEqual(written(nodeOf({ addresses: one }), two), two)
    assert.deepStrictEqual(written(nodeOf({ addresses: two }), one), one)
    assert.isUndefined(written(nodeOf({ addresses: two }), two.toReversed()))
  })

  it("look new with two of one type, of which only the last is compared", () => {
    const two = [internalIP("10.0.0.1"), internalIP("10.0.0.2")]
    assert.deepStrictEqual(written(nodeOf({ addresses: two }), two), two)
    const last = [internalIP("10.0.0.2"), internalIP("10.0.0.2")]
    assert.isUndefined(written(nodeOf({ addresses: two }), last))
  })

  it("are not changed while the node is uninitialized, or when the cloud reports none", () => {
    const waiting = nodeOf({
      taints: [
        { key: "other", effect: "NoSchedule" },
        { key: "node.cloudprovider.kubernetes.io/uninitialized", value: "x", effect: "NoExecute" }
      ]
    })
    assert.isTrue(isUninitialized(waiting))
    assert.isFalse(isUninitialized(nodeOf({ taints: [{ key: "other", effect: "NoSchedule" }] })))
    assert.isFalse(isUninitialized(nodeOf()))
    assert.isUndefined(written(waiting, [internalIP("10.0.0.1")]))
    assert.isUndefined(written(nodeOf({ addresses: [internalIP("10.0.0.1"), hostname("h")] }), []))
  })

  it("replace the list: merged by type, one of two Internal IPs would be lost", () => {
    assert.deepStrictEqual(addressesPatch([internalIP("10.0.0.1")]), {
      status: { addresses: [internalIP("10.0.0.1"), { $patch: "replace" }] }
    })
  })
})
