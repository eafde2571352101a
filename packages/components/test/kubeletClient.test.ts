import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type KubeletTransportShape, noKubelets } from "@rollcall/api-server/http"
import { selfSigned } from "@rollcall/pki"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { kubeletClientFlags, kubeletClientOf } from "../src/apiserver/kubelets/kubeletFlags.ts"
import { eitherTransport } from "../src/apiserver/kubelets/serverTransport.ts"
import { wirePath } from "../src/apiserver/kubelets/wirePath.ts"

type Values = Parameters<typeof kubeletClientOf>[0]

const none: Values = {
  "kubelet-client-certificate": "",
  "kubelet-client-key": "",
  "kubelet-certificate-authority": "",
  "kubelet-preferred-address-types": [],
  "kubelet-port": kubeletClientFlags["kubelet-port"].initial
}

const read = (values: Partial<Values>) => {
  const result = Effect.runSync(Effect.result(kubeletClientOf({ ...none, ...values })))
  return Result.isSuccess(result) ? result.success : result.failure.message
}

describe("the flags of the connection to kubelets", () => {
  it("have Kubernetes' defaults besides the addresses, which are kubeadm's", () => {
    assert.deepStrictEqual(read({}), { port: 10_250 })
    assert.deepStrictEqual(read({ "kubelet-preferred-address-types": ["Hostname"], "kubelet-port": 1 }), {
      addressTypes: ["Hostname"],
      port: 1
    })
  })

  it("are read before anything starts, and refused with what is wrong", () => {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-client-"))
    try {
      const { certificatePem, keyPem } = selfSigned([], Date.now())
      const file = (name: string, text: string) => {
        writeFileSync(join(folder, name), text)
        return join(folder, name)
      }
      const [cert, key] = [file("cert", certificatePem), file("key", keyPem)]
      const other = file("other", selfSigned([], Date.now()).keyPem)
      const flags = (certificate: string, ofKey: string) =>
        read({ "kubelet-client-certificate": certificate, "kubelet-client-key": ofKey })
      assert.deepStrictEqual(flags(cert, key), { client: { certificatePem, keyPem }, port: 10_250 })
      assert.include(String(flags(cert, "")), "--kubelet-client-key: a certificate needs its key: set both flags")
      assert.include(String(flags(cert, other)), `expected a certificate in PEM with the key of ${other}`)
      assert.include(String(flags(join(folder, "none"), key)), "none")
      assert.include(String(read({ "kubelet-certificate-authority": key })), "expected certificates in PEM")
      assert.include(String(read({ "kubelet-preferred-address-types": ["IP"] })), 'found "IP", expected Hostname')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe("a server that has kubelets in its own process and others", () => {
  it("reaches each on its way", () => {
    const sent: Array<string> = []
    const way = (name: string): KubeletTransportShape => ({
      ...noKubelets,
      send: ({ node }) => {
        sent.push(`${name} ${node}`)
        return () => {}
      },
      relays: () => name === "far"
    })
    const both = eitherTransport(way("near"), (node) => node === "a", way("far"))
    const request = { method: "GET", path: "/", query: new Map(), body: new Uint8Array() }
    for (const node of ["a", "b"]) {
      both.send({ node, host: "h", port: 1, isKubelet: true, scheme: "https" }, request, () => {})
    }
    assert.deepStrictEqual(sent, ["near a", "far b"])
    assert.deepStrictEqual([both.relays?.("a"), both.relays?.("b")], [false, true])
  })
})

describe("the first line of a request to a kubelet", () => {
  it("holds whatever a path and a query hold, as Go escapes them", () => {
    const query = new Map([
      ["a", ["1", "x&y"]],
      ["b\r\n", [" "]]
    ])
    assert.strictEqual(
      wirePath("/a b/\r\nHost: x/$&+,:;=@?#%", query),
      "/a%20b/%0D%0AHost:%20x/$&+,:;=@%3F%23%25?a=1&a=x%26y&b%0D%0A=+"
    )
    assert.strictEqual(wirePath("/\ud800/é", new Map()), "/%EF%BF%BD/%C3%A9")
  })
})
