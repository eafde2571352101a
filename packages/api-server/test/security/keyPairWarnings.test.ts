import { generateKeyPairSync } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { makeKeyPem, selfSigned } from "@rollcall/pki"
import { kindTable } from "../../src/core/registry/table.ts"
import { keyPairFault, withKeyPairWarnings } from "../../src/security/keyPairWarnings.ts"

const { certificatePem, keyPem } = selfSigned([], 0)
const block = (type: string, text: string) =>
  `-----BEGIN ${type}-----\n${Buffer.from(text).toString("base64")}\n-----END ${type}-----\n`
const sec1 = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "sec1", format: "pem" })
const ed25519 = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" })

describe("a certificate and its key", () => {
  it("are a pair", () => assert.isUndefined(keyPairFault(`text\n${certificatePem}`, keyPem)))
  it.each([
    ["x", "y", "tls: failed to find any PEM data in certificate input"],
    [certificatePem, "y", "tls: failed to find any PEM data in key input"],
    [
      keyPem,
      certificatePem,
      "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched"
    ],
    [
      block("A", "x") + block("B", "x"),
      keyPem,
      'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [A B]'
    ],
    [
      certificatePem,
      block("CERTIFICATE", "x"),
      "tls: found a certificate rather than a key in the PEM for the private key"
    ],
    [
      certificatePem,
      certificatePem,
      'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [CERTIFICATE CERTIFICATE]'
    ],
    [block("CERTIFICATE", "x"), keyPem, "x509: malformed certificate"],
    [certificatePem, block("PRIVATE KEY", "x"), "tls: failed to parse private key"],
    [certificatePem, makeKeyPem(), "tls: private key does not match public key"],
    [certificatePem, sec1.toString(), "tls: private key does not match public key"],
    [certificatePem, ed25519.toString(), "tls: private key type does not match public key type"]
  ])("may be no pair (%#)", (certificate, key, fault) => assert.strictEqual(keyPairFault(certificate, key), fault))

  it("are looked at in Secrets of their type", () => {
    const { strategy } = withKeyPairWarnings(kindTable.Secret)
    const warningsFor = (type: string) => {
      const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, data: { "tls.crt": "eA==" }, type }
      return strategy.warnings?.(secret, undefined)
    }
    assert.deepStrictEqual(warningsFor("kubernetes.io/tls"), ["tls: failed to find any PEM data in certificate input"])
    assert.deepStrictEqual(warningsFor("Opaque"), [])
  })
})
