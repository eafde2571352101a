import type { Pod } from "@rollcall/api"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { podTarget } from "../../../src/http/resources/proxy/podTarget.ts"

const pod = (ip: string, ...ports: ReadonlyArray<number>): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "default" },
  spec: {
    nodeName: "n1",
    containers: [
      { name: "a", image: "x" },
      { name: "b", image: "x", ports: ports.map((containerPort) => ({ containerPort })) }
    ]
  },
  status: ip === "" ? {} : { podIPs: [{ ip }] }
})

const target = (id: string, of: Pod = pod("10.0.0.1")) =>
  Result.match(podTarget(id, of), {
    onSuccess: ({ host, node, port, scheme }) => `${node} ${scheme}://${host} ${port}`,
    onFailure: ({ code, message }) => `${code} ${message}`
  })

describe("the target of a request for a pod's proxy", () => {
  it("is the port of the request, the pod's first one, or that of the scheme", () => {
    assert.strictEqual(target("p"), "n1 http://10.0.0.1 80")
    assert.strictEqual(target("https:p:"), "n1 https://10.0.0.1 443")
    assert.strictEqual(target("p", pod("fd00::1", 8080, 9090)), "n1 http://fd00::1 8080")
    assert.strictEqual(target("p:81", pod("10.0.0.1", 8080)), "n1 http://10.0.0.1 81")
  })

  it("is refused without an address of another machine, and for other ports", () => {
    for (const ip of ["", "127.0.0.1", "169.254.169.254", "::1", "224.0.0.1"]) {
      assert.strictEqual(target("p", pod(ip)), "400 address not allowed", ip)
    }
    assert.strictEqual(target("ftp:p:21"), '400 invalid pod request "ftp:p:21"')
    const failed = "503 error trying to reach service: dial tcp: "
    assert.strictEqual(target("p:web"), `${failed}lookup tcp/web: unknown port`)
    assert.strictEqual(target("p:65536"), `${failed}address 65536: invalid port`)
  })
})
