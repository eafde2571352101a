import { X509Certificate } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { openPki } from "@rollcall/pki"
import * as Effect from "effect/Effect"
import { authenticators, clientCertificates } from "../../src/security/authentication/authenticators.ts"
import { type FrontProxyOptions, frontProxies, isOfProxy } from "../../src/security/authentication/frontProxies.ts"

const NOW_MS = Date.UTC(2026, 0, 1)

const made = (() => {
  const folder = mkdtempSync(join(tmpdir(), "proxies-"))
  const pki = Effect.runSync(openPki({ folder, nowMs: NOW_MS }))
  const proxy = new X509Certificate(readFileSync(join(folder, "front-proxy-client.crt"))).raw
  rmSync(folder, { recursive: true })
  const subject = { commonName: "front-proxy-client", organizations: ["system:masters"] }
  return { pki, proxy, client: new X509Certificate(pki.clientCertificate(subject, NOW_MS).certificatePem).raw }
})()

const options: FrontProxyOptions = {
  authorityPem: made.pki.frontProxyAuthorityPem,
  allowedNames: ["front-proxy-client"],
  userHeaders: ["X-Remote-User"],
  groupHeaders: ["X-Remote-Group"],
  extraPrefixes: ["X-Remote-Extra-"]
}

const ask = (
  certificate: Uint8Array | undefined,
  rawHeaders: ReadonlyArray<string>,
  { nowMs = NOW_MS, ...more }: Partial<FrontProxyOptions> & { readonly nowMs?: number } = {}
) => {
  const headers: Record<string, string> = {}
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers[rawHeaders[index]?.toLowerCase() ?? ""] = rawHeaders[index + 1] ?? ""
  const proxies = { ...options, ...more }
  const now = () => nowMs
  const both = authenticators([frontProxies(proxies, now), clientCertificates(now, undefined, isOfProxy(proxies))])
  return both.authenticate({ certificate, headers, rawHeaders })
}

const asJoe = ["X-Remote-User", "joe", "x-remote-group", "a", "X-Remote-Group", "b", "X-Remote-Extra-Ex.io%2fK", "v"]

describe("a front proxy", () => {
  it("says who asks: the user, all groups, and what else is known of it", () => {
    const user = { user: "joe", groups: ["a", "b", "system:authenticated"], extra: { "ex.io/k": ["v"] } }
    assert.deepStrictEqual(ask(made.proxy, asJoe), user)
  })

  it("names users in UTF-8", () => {
    const name = Buffer.from("José").toString("latin1")
    assert.deepInclude(ask(made.proxy, ["X-Remote-User", name, "X-Remote-Group", name]), {
      user: "José",
      groups: ["José", "system:authenticated"]
    })
  })

  it("says the UID in a header for it", () => {
    const headers = [...asJoe, "X-Remote-Uid", "7"]
    assert.notDeepInclude(ask(made.proxy, headers), { uid: "7" })
    assert.deepInclude(ask(made.proxy, headers, { uidHeaders: ["x-remote-uid"] }), { user: "joe", uid: "7" })
  })

  it("may have a certificate of the CA of clients, which authenticates it without headers", () => {
    const { authorityPem } = made.pki
    const one = { authorityPem, clientAuthorityPem: authorityPem }
    assert.deepInclude(ask(made.client, asJoe, one), { user: "joe" })
    assert.deepInclude(ask(made.client, [], one), { user: "front-proxy-client" })
    assert.strictEqual(ask(made.proxy, asJoe, one), "invalid")
  })

  it("adds no group to that of those who are not authenticated", () => {
    const anonymous = ["X-Remote-User", "system:anonymous", "X-Remote-Group", "system:unauthenticated"]
    assert.deepStrictEqual(ask(made.proxy, anonymous), { user: "system:anonymous", groups: ["system:unauthenticated"] })
  })

  it("authenticates nobody by its certificate alone", () => {
    assert.strictEqual(ask(made.proxy, []), "invalid")
    assert.strictEqual(ask(made.proxy, ["X-Remote-Group", "system:masters"]), "invalid")
  })

  it("is believed only with an allowed name, and while its certificate is valid", () => {
    assert.strictEqual(ask(made.proxy, asJoe, { allowedNames: ["other"] }), "invalid")
    assert.deepInclude(ask(made.proxy, asJoe, { allowedNames: [] }), { user: "joe" })
    assert.strictEqual(ask(made.proxy, asJoe, { nowMs: NOW_MS + 366 * 86_400_000 }), "invalid")
  })

  it("is known by its CA: a client with its name, and one without a certificate, ask for themselves", () => {
    assert.deepInclude(ask(made.client, asJoe), { user: "front-proxy-client" })
    assert.isUndefined(ask(undefined, asJoe))
  })
})
