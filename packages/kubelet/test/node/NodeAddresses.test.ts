import { annotationProvidedNodeIP } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import {
  type AddressFacts,
  kubeletConfig,
  type Machine,
  type MachineNetwork,
  makeModelledHost
} from "../../src/index.ts"
import { staticStatus } from "../../src/node/StaticStatus.ts"
import { addressesFor, ownAddresses, withProvidedIP } from "../../src/rules.ts"
import { setUpKubelet } from "../setUpKubelet.ts"

const route = { address: "10.0.0.9" }
const facts: AddressFacts = {
  nodeName: "n1",
  hostname: "n1",
  nodeIPs: [],
  externalCloudProvider: false,
  invalid: () => undefined,
  lookup: [],
  defaultRoute: { 4: route, 6: { address: "fd00::9" } }
}

const internalAddresses = (given: Partial<AddressFacts>) =>
  ownAddresses({ ...facts, ...given })
    .addresses?.filter(({ type }) => type === "InternalIP")
    .map(({ address }) => address)

describe("a node's address", () => {
  it("is what DNS says of its name, of the preferred family if there is one", () => {
    const lookup = ["fd00::1", "10.1.1.1", "10.1.1.2"]
    assert.deepStrictEqual(internalAddresses({ lookup }), ["10.1.1.1"])
    assert.deepStrictEqual(internalAddresses({ lookup, nodeIPs: ["::"] }), ["fd00::1"])
    assert.deepStrictEqual(internalAddresses({ lookup: ["fd00::1"] }), ["fd00::1"], "better another family than none")
    assert.deepStrictEqual(internalAddresses({ lookup, invalid: (each) => (each === "10.1.1.1" ? "no" : undefined) }), [
      "10.1.1.2"
    ])
    assert.deepStrictEqual(internalAddresses({ lookup, invalid: () => "no" }), ["10.0.0.9"])
    assert.deepStrictEqual(internalAddresses({ nodeIPs: ["::"] }), ["fd00::9"])
  })

  it("is its hostname where that is an address, in Go's spelling", () => {
    assert.deepStrictEqual(internalAddresses({ hostname: "010.001.1.3", lookup: ["10.1.1.1"] }), ["10.1.1.3"])
  })

  it("must be this machine's, and the second one too", () => {
    const invalid = (address: string) => (address === "fd00::1" ? "not here" : undefined)
    const own = ownAddresses({ ...facts, nodeIPs: ["10.1.1.1", "fd00::1"], externalCloudProvider: true, invalid })
    assert.deepStrictEqual(own, { untouched: true, error: "failed to validate secondaryNodeIP: not here" })
    const held = { [annotationProvidedNodeIP]: "10.5.5.5" }
    assert.strictEqual(withProvidedIP(held, own), held, "nothing of the Node is touched")
    const kept = [{ type: "InternalIP", address: "10.5.5.5" } as const]
    assert.deepStrictEqual(addressesFor(kept, own, false).addresses, kept)
  })

  it("is set by an external cloud; until then the Node has only a hostname", () => {
    const own = ownAddresses({ ...facts, externalCloudProvider: true })
    assert.deepStrictEqual(own, { addresses: [{ type: "Hostname", address: "n1" }] })
    const nowhere = { error: "no route" }
    const lost = ownAddresses({
      ...facts,
      externalCloudProvider: true,
      nodeIPs: ["0.0.0.0"],
      defaultRoute: { 4: nowhere, 6: nowhere }
    })
    const given = [{ type: "ExternalIP", address: "1.2.3.4" } as const]
    assert.deepStrictEqual(addressesFor(given, lost, true), { addresses: given }, "nobody looks any more")
    assert.deepStrictEqual(addressesFor([], lost, true), {
      addresses: [],
      error: "can't get ip address of node n1. error: no route"
    })
  })
})

const network: MachineNetwork = {
  interfaceIPs: ["127.0.0.1", "192.168.7.2", "fd00:0:0::2", "fe80::1"],
  lookup: ["127.0.1.1"],
  defaultRoute: { 4: { address: "192.168.7.2" }, 6: { address: "fd00::2" } }
}

const machineWith = (more: Partial<Machine>): Machine => ({ ...makeModelledHost({ name: "n1" }).machine(), ...more })
const addressesOf = (nodeIPs: ReadonlyArray<string>, more: Partial<Machine> = { network }) =>
  staticStatus(machineWith(more), kubeletConfig({ nodeIPs })).addresses

describe("a machine", () => {
  it("with interfaces accepts only addresses of an interface that can be reached from outside", () => {
    assert.deepStrictEqual(
      addressesOf([]).addresses?.[0]?.address,
      "192.168.7.2",
      "not what DNS says: that is the loopback"
    )
    assert.deepStrictEqual(addressesOf(["fd00::2"]).addresses?.[0]?.address, "fd00::2")
    const wrong: ReadonlyArray<readonly [string, string]> = [
      ["10.9.9.9", 'node IP: "10.9.9.9" not found in the host\'s network interfaces'],
      ["127.0.0.1", "nodeIP can't be loopback address"],
      ["::1", "nodeIP can't be loopback address"],
      ["224.0.0.1", "nodeIP can't be a multicast address"],
      ["ff02::1", "nodeIP can't be a multicast address"],
      ["169.254.3.4", "nodeIP can't be a link-local unicast address"],
      ["fe80::1", "nodeIP can't be a link-local unicast address"]
    ]
    for (const [address, problem] of wrong) {
      assert.strictEqual(addressesOf([address]).error, `failed to validate nodeIP: ${problem}`)
    }
  })

  it("that is modelled has its given addresses, or those of --node-ip", () => {
    const machine = machineWith({})
    assert.strictEqual(staticStatus(machine, kubeletConfig()).addresses.addresses, machine.addresses)
    assert.deepStrictEqual(addressesOf(["10.7.7.7", "fd00::7"], {}).addresses, [
      { type: "InternalIP", address: "10.7.7.7" },
      { type: "InternalIP", address: "fd00::7" },
      { type: "Hostname", address: "n1" }
    ])
    assert.deepStrictEqual(addressesOf(["0.0.0.0"], {}).addresses, machine.addresses)
  })

  it("of an external cloud waits for its addresses, and reports its node IP", () => {
    const config = kubeletConfig({ externalCloudProvider: true, nodeIPs: ["10.7.7.7"] })
    const { api, kubelet, untilMs } = setUpKubelet({ config })
    kubelet.startKubelet()
    untilMs(5_000)
    assert.strictEqual(api.node("n1")?.metadata.annotations?.[annotationProvidedNodeIP], "10.7.7.7")
    const addresses = [{ type: "ExternalIP", address: "1.2.3.4" } as const]
    const body = { status: { addresses } }
    api.ask({ verb: "patch", kind: "Node", name: "n1", subresource: "status", patchType: "merge", body })
    untilMs(60_000)
    assert.deepStrictEqual(api.node("n1")?.status?.addresses, addresses)
  })

  it("with an address of each family gives both to pods on the host network", () => {
    const { api, kubelet, untilMs } = setUpKubelet({ config: kubeletConfig({ nodeIPs: ["10.7.7.7", "fd00::7"] }) })
    kubelet.startKubelet()
    untilMs(5_000)
    api.createPod("a", "n1")
    api.createPod("b", "n1", { hostNetwork: true })
    untilMs(10_000)
    const both = [{ ip: "10.7.7.7" }, { ip: "fd00::7" }]
    assert.deepStrictEqual(api.pod("a")?.status?.hostIPs, both)
    assert.lengthOf(api.pod("a")?.status?.podIPs ?? [], 1)
    assert.strictEqual(api.pod("b")?.status?.podIP, "10.7.7.7")
    assert.deepStrictEqual(api.pod("b")?.status?.podIPs, both)
  })
})
