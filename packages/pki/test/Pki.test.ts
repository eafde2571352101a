import { createPublicKey, X509Certificate } from "node:crypto"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer, request } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TLSSocket } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openPki, type Pki, type PkiOptions } from "../src/index.ts"

const NOW_MS = 1_780_000_000_000
const DAY_MS = 86_400_000

const withFolder = <A>(use: (folder: string) => A): A => {
  const folder = mkdtempSync(join(tmpdir(), "pki-"))
  try {
    return use(join(folder, "pki"))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const openOrThrow = (folder: string, more: Partial<PkiOptions> = {}): Pki =>
  Effect.runSync(openPki({ folder, nowMs: NOW_MS, ...more }))

const refusal = (folder: string, more: Partial<PkiOptions> = {}) =>
  Effect.runSync(Effect.flip(openPki({ folder, nowMs: NOW_MS, ...more })))

const modeOf = (file: string) => statSync(file).mode & 0o777

describe("openPki", () => {
  it("creates everything on the first start, readable only by the owner", () =>
    withFolder((folder) => {
      openOrThrow(folder)
      assert.deepStrictEqual(readdirSync(folder).sort(), [
        "apiserver.crt",
        "apiserver.key",
        "ca.crt",
        "ca.key",
        "front-proxy-ca.crt",
        "front-proxy-ca.key",
        "front-proxy-client.crt",
        "front-proxy-client.key",
        "sa.key",
        "sa.pub"
      ])
      assert.strictEqual(modeOf(folder), 0o700)
      for (const file of readdirSync(folder)) assert.strictEqual(modeOf(join(folder, file)), 0o600, file)
    }))

  it("returns the same when called again, and restores modes that let others read", () =>
    withFolder((folder) => {
      const first = openOrThrow(folder)
      chmodSync(join(folder, "ca.key"), 0o644)
      const second = openOrThrow(folder)
      assert.deepStrictEqual(
        [second.authorityPem, second.frontProxyAuthorityPem, second.server, second.serviceAccountKey],
        [first.authorityPem, first.frontProxyAuthorityPem, first.server, first.serviceAccountKey]
      )
      assert.strictEqual(modeOf(join(folder, "ca.key")), 0o600)
    }))

  it("renews a server certificate from the future, after the clock was set back", () =>
    withFolder((folder) => {
      const ahead = openOrThrow(folder, { nowMs: NOW_MS + 400 * DAY_MS })
      const back = openOrThrow(folder)
      assert.strictEqual(back.authorityPem, ahead.authorityPem)
      const certificate = new X509Certificate(back.server.certificatePem)
      assert.isBelow(certificate.validFromDate.getTime(), NOW_MS)
      assert.isAbove(certificate.validToDate.getTime(), NOW_MS + 300 * DAY_MS)
      assert.isBelow(new X509Certificate(back.authorityPem).validFromDate.getTime(), NOW_MS)
      const forward = openOrThrow(folder, { nowMs: NOW_MS + 400 * DAY_MS })
      assert.isAbove(new X509Certificate(forward.server.certificatePem).validToDate.getTime(), NOW_MS + 700 * DAY_MS)
    }))

  it("reports a clock that is before the authority's start", () =>
    withFolder((folder) => {
      openOrThrow(folder)
      assert.match(refusal(folder, { nowMs: NOW_MS - 4000 * DAY_MS }).message, /ca\.crt begins on .*set the clock/)
    }))

  it("recognises a client certificate that is still valid", () =>
    withFolder((folder) => {
      const pki = openOrThrow(folder)
      const subject = { commonName: "kubernetes-admin", organizations: ["system:masters"] }
      const pair = pki.clientCertificate(subject, NOW_MS)
      assert.isTrue(pki.isCurrent(pair, subject, NOW_MS))
      assert.isTrue(pki.isCurrent(pair, subject, NOW_MS + 334 * DAY_MS))
      assert.isFalse(pki.isCurrent(pair, subject, NOW_MS + 336 * DAY_MS))
      assert.isFalse(pki.isCurrent(pair, subject, NOW_MS - DAY_MS))
      assert.isFalse(pki.isCurrent(pair, { commonName: "kubernetes-admin" }, NOW_MS))
      assert.isFalse(pki.isCurrent({ ...pair, keyPem: pki.server.keyPem }, subject, NOW_MS))
      assert.isFalse(pki.isCurrent({ certificatePem: "", keyPem: "" }, subject, NOW_MS))
      withFolder((other) => assert.isFalse(openOrThrow(other).isCurrent(pair, subject, NOW_MS)))
    }))

  it("issues for the usual names, and again for other names", () =>
    withFolder((folder) => {
      const server = new X509Certificate(openOrThrow(folder).server.certificatePem)
      for (const name of ["localhost", "kubernetes.default.svc"]) assert.strictEqual(server.checkHost(name), name)
      for (const address of ["127.0.0.1", "::1", "10.96.0.1"]) assert.strictEqual(server.checkIP(address), address)
      assert.strictEqual(server.checkHost("rollcall.example.com"), undefined)
      const names = ["rollcall.example.com", "fd00::1:0:2", "::ffff:10.0.0.1"]
      const wider = new X509Certificate(openOrThrow(folder, { names }).server.certificatePem)
      assert.strictEqual(wider.checkHost("rollcall.example.com"), "rollcall.example.com")
      assert.strictEqual(wider.checkIP("fd00::1:0:2"), "fd00::1:0:2")
    }))

  it("renews the server's certificate a month before its end, and not earlier", () =>
    withFolder((folder) => {
      const first = openOrThrow(folder)
      const early = openOrThrow(folder, { nowMs: NOW_MS + 334 * DAY_MS })
      assert.strictEqual(early.server.certificatePem, first.server.certificatePem)
      const due = openOrThrow(folder, { nowMs: NOW_MS + 336 * DAY_MS })
      assert.notStrictEqual(due.server.certificatePem, first.server.certificatePem)
      assert.strictEqual(due.authorityPem, first.authorityPem)
    }))

  it("continues after a first start or a renewal that stopped between two files", () =>
    withFolder((folder) => {
      const first = openOrThrow(folder)
      rmSync(join(folder, "ca.crt"))
      rmSync(join(folder, "apiserver.crt"))
      const second = openOrThrow(folder)
      const authority = new X509Certificate(second.authorityPem)
      assert.isTrue(new X509Certificate(first.server.certificatePem).verify(authority.publicKey))
      assert.isTrue(new X509Certificate(second.server.certificatePem).verify(authority.publicKey))
    }))

  const damages: ReadonlyArray<
    readonly [name: string, file: string, damage: (folder: string, other: string) => void, why: RegExp]
  > = [
    [
      "a certificate that is none",
      "ca.crt",
      (folder) => writeFileSync(join(folder, "ca.crt"), "x"),
      /is not a certificate; move/
    ],
    [
      "a key that is none",
      "ca.key",
      (folder) => writeFileSync(join(folder, "ca.key"), ""),
      /is not a private key; move/
    ],
    [
      "an authority without its key",
      "ca.crt",
      (folder) => rmSync(join(folder, "ca.key")),
      /has no key: .*ca\.key is missing; bring it back/
    ],
    [
      "the key of another authority",
      "ca.key",
      (folder, other) => copy(other, folder, "ca.key"),
      /is not the key of .*ca\.crt/
    ],
    [
      "a server certificate of another authority",
      "apiserver.crt",
      (folder, other) => copy(other, folder, "apiserver.crt"),
      /was not issued by/
    ],
    [
      "a leaf as the authority",
      "ca.crt",
      (folder) => writeFileSync(join(folder, "ca.crt"), readFileSync(join(folder, "apiserver.crt"))),
      /is not the certificate of an authority/
    ],
    [
      "a damaged signing key",
      "sa.key",
      (folder) => writeFileSync(join(folder, "sa.key"), "x"),
      /is not a private key; move it away/
    ]
  ]
  const copy = (from: string, to: string, name: string) => writeFileSync(join(to, name), readFileSync(join(from, name)))

  for (const [name, file, damage, why] of damages) {
    it(`refuses ${name}, and leaves it as it is`, () =>
      withFolder((folder) =>
        withFolder((other) => {
          openOrThrow(folder)
          openOrThrow(other)
          damage(folder, other)
          const before = readFileSync(join(folder, file), "utf8")
          const error = refusal(folder)
          assert.strictEqual(error.file, join(folder, file))
          assert.match(error.message, why)
          assert.strictEqual(readFileSync(join(folder, file), "utf8"), before)
        })
      ))
  }

  it("reports a folder that cannot be created", () =>
    withFolder((folder) => {
      writeFileSync(folder, "")
      assert.match(refusal(join(folder, "deeper")).message, /cannot make the folder/)
    }))
})

describe("certificates", () => {
  it("are accepted by TLS: a server that requests a client certificate sees its user", () =>
    new Promise<void>((resolve, reject) =>
      withFolder((folder) => {
        // TLS looks at the machine's clock.
        const pki = openOrThrow(folder, { nowMs: performance.timeOrigin + performance.now() })
        const client = pki.clientCertificate(
          { commonName: "system:node:n-a", organizations: ["system:nodes", "system:masters"] },
          performance.timeOrigin + performance.now()
        )
        const options = { key: pki.server.keyPem, cert: pki.server.certificatePem, ca: pki.authorityPem }
        const server = createServer({ ...options, requestCert: true }, ({ socket }, response) => {
          const { raw } = (socket as TLSSocket).getPeerCertificate()
          const { subject } = new X509Certificate(raw).toLegacyObject()
          response.end(JSON.stringify([(socket as TLSSocket).authorized, subject]))
        })
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo
          const call = request(
            {
              host: "127.0.0.1",
              port,
              ca: pki.authorityPem,
              key: client.keyPem,
              cert: client.certificatePem,
              agent: false
            },
            (response) => {
              let body = ""
              response.on("data", (part) => {
                body += part
              })
              response.on("end", () => {
                server.close()
                const [authorized, subject] = JSON.parse(body)
                try {
                  assert.isTrue(authorized)
                  assert.deepStrictEqual(
                    { ...subject },
                    { O: ["system:nodes", "system:masters"], CN: "system:node:n-a" }
                  )
                  resolve()
                } catch (error) {
                  reject(error)
                }
              })
            }
          )
          call.on("error", reject)
          call.end()
        })
      })
    ))

  it("encode the years from 2050 on in four digits", () =>
    withFolder((folder) => {
      const pki = openOrThrow(folder)
      const late = pki.clientCertificate({ commonName: "x" }, Date.UTC(2060, 0, 1))
      assert.strictEqual(new X509Certificate(late.certificatePem).validToDate.getUTCFullYear(), 2060)
    }))

  it("contain the public half of the signing key", () =>
    withFolder((folder) => {
      const { serviceAccountKey } = openOrThrow(folder)
      assert.strictEqual(
        createPublicKey(serviceAccountKey.privateKeyPem).export({ type: "spki", format: "pem" }),
        serviceAccountKey.publicKeyPem
      )
    }))
})
