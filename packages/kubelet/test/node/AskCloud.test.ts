import { type NodeAddress, releases } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { makeModelledHost } from "../../src/index.ts"
import { setUpKubelet } from "../setUpKubelet.ts"

const addresses: ReadonlyArray<NodeAddress> = [
  { type: "InternalIP", address: "10.1.2.3" },
  { type: "ExternalIP", address: "192.0.2.7" },
  { type: "Hostname", address: "n1" }
]
const labelsAndProviderID = {
  providerID: "modelled://i-1",
  labels: { "failure-domain.beta.kubernetes.io/zone": "zone-c" },
  addresses
}

describe("a kubelet that queries its cloud", () => {
  it("registers when the cloud answers, with the cloud's instance type, zone and provider ID", () => {
    let answers = false
    const host = makeModelledHost({ name: "n1", askCloud: () => (answers ? labelsAndProviderID : undefined) })
    const testNode = setUpKubelet({ host, release: releases["1.4"] })
    testNode.kubelet.startKubelet()
    testNode.untilMs(10_000)
    assert.deepStrictEqual(testNode.times("create Node"), [])
    answers = true
    testNode.untilMs(60_000)
    assert.lengthOf(testNode.times("create Node"), 1)
    const { metadata, spec, status } = testNode.kubelet.node ?? assert.fail("not registered")
    assert.strictEqual(metadata.labels?.["failure-domain.beta.kubernetes.io/zone"], "zone-c")
    assert.strictEqual(spec?.providerID, "modelled://i-1")
    assert.deepStrictEqual(status?.addresses, addresses)
  })
})
