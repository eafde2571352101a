import type { Node, NodeAddress } from "@rollcall/api"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { proxyPath, proxyTarget } from "../../../src/http/resources/proxy/proxyTarget.ts"

const nodeWith = (addresses: ReadonlyArray<NodeAddress>, port?: number): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n1" },
  status: { addresses, ...(port === undefined ? {} : { daemonEndpoints: { kubeletEndpoint: { Port: port } } }) }
})

const address = (type: NodeAddress["type"], text: string): NodeAddress => ({ type, address: text })
const nodeN1 = nodeWith([address("Hostname", "n1"), address("InternalIP", "10.0.0.1")], 10_250)

const target = (id: string, node: Node = nodeN1) => {
  const found = proxyTarget(id, (name) => (name === "n1" ? node : undefined))
  if (Result.isSuccess(found)) {
    const { host, isKubelet, node: name, port } = found.success
    return `${name} ${host} ${port}${isKubelet ? " kubelet" : ""}`
  }
  return [found.failure.code, found.failure.reason, found.failure.message].join(" ")
}

describe("the target of a request for a node's proxy", () => {
  it("is the kubelet, or the requested port", () => {
    assert.strictEqual(target("n1"), "n1 10.0.0.1 10250 kubelet")
    assert.strictEqual(target("n1:10250"), "n1 10.0.0.1 10250 kubelet")
    assert.strictEqual(target("n1:"), "n1 10.0.0.1 10250 kubelet")
    assert.strictEqual(target("http:n1:10250"), "n1 10.0.0.1 10250 kubelet")
    assert.strictEqual(target("https:n1:443"), "n1 10.0.0.1 443")
    assert.strictEqual(target("n1", nodeWith([address("InternalIP", "10.0.0.1")], 10_255)), "n1 10.0.0.1 10255 kubelet")
    assert.strictEqual(target("n1", nodeWith([address("InternalIP", "10.0.0.1")], 0)), "n1 10.0.0.1 10250 kubelet")
  })

  it("has the preferred address, in kubeadm's order", () => {
    assert.strictEqual(
      target("n1", nodeWith([address("Hostname", "h"), address("ExternalIP", "1.2.3.4")])),
      "n1 1.2.3.4 10250 kubelet"
    )
    assert.strictEqual(target("n1", nodeWith([address("Hostname", "h")])), "n1 h 10250 kubelet")
    const none = "500  no preferred addresses found; known addresses: "
    assert.strictEqual(target("n1", nodeWith([])), `${none}[]`)
    assert.strictEqual(target("n1", nodeWith([address("InternalDNS", "d")])), `${none}[{InternalDNS d}]`)
  })

  it("has the types of addresses and the port that the server is told", () => {
    const both = nodeWith([address("Hostname", "h"), address("InternalIP", "10.0.0.1")])
    const found = proxyTarget("n1", () => both, { types: ["Hostname", "InternalIP"], port: 1234 })
    if (Result.isFailure(found)) return assert.fail(found.failure.message ?? "")
    assert.deepInclude(found.success, { host: "h", port: 1234, isKubelet: true })
  })

  it("is not the server's own machine, its link, or a multicast address", () => {
    for (const text of [
      "127.0.0.1",
      "::1",
      "0.0.0.0",
      "169.254.1.1",
      "fe80::1",
      "224.0.0.1",
      "::ffff:127.0.0.1",
      "255.255.255.255"
    ]) {
      assert.strictEqual(
        target("n1", nodeWith([address("InternalIP", text)])),
        "400 BadRequest address not allowed",
        text
      )
    }
    assert.strictEqual(target("n1", nodeWith([address("InternalIP", "fd00::1")])), "n1 fd00::1 10250 kubelet")
    assert.strictEqual(
      target("n1", nodeWith([address("InternalIP", "::ffff:10.0.0.1")])),
      "n1 ::ffff:10.0.0.1 10250 kubelet"
    )
  })

  it("does not exist for an unknown or invalid node name", () => {
    assert.strictEqual(target("n2"), '404 NotFound nodes "n2" not found')
    assert.strictEqual(target("constructor"), '404 NotFound nodes "constructor" not found')
    for (const id of [
      "",
      ":",
      ":10250",
      "ftp:n1:21",
      "n1:x",
      "n1:-1",
      "n1:65536",
      "n1:123456",
      "a:b:c:d",
      "https::1",
      "n1:1e3",
      "n1: 1"
    ]) {
      assert.strictEqual(target(id), `400 BadRequest invalid node request ${JSON.stringify(id)}`)
    }
  })
})

describe("the path of a request to a kubelet", () => {
  it("is the rest of the path, cleaned as Go cleans it", () => {
    const of = (rest: string) => proxyPath(rest)
    assert.deepStrictEqual(
      ["", "/", "/stats/summary", "/stats/summary/", "//stats//summary", "/./stats/x/../summary"].map(of),
      ["", "/", "/stats/summary", "/stats/summary/", "/stats/summary", "/stats/summary"]
    )
    assert.deepStrictEqual(["/../../../stats", "/..", "/../", "/a/../..//"].map(of), ["/stats", "", "/", "/"])
  })
})
