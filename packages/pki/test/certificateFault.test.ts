import { assert, describe, it } from "@effect/vitest"
import { certificateFault } from "../src/certificateFault.ts"
import { pemBlocks } from "../src/pem.ts"

const whole = pemBlocks(`-----BEGIN CERTIFICATE-----
MIIBlDCCATugAwIBAgIUJ7F+IVLesL7Z1y6wiDR1IH6feWIwCgYIKoZIzj0EAwIw
GDEKMAgGA1UEAwwBYTEKMAgGA1UECgwBYjAeFw0yNjExMjgxNjM1NTVaFw0yOTA1
MTYxNjM1NTVaMBgxCjAIBgNVBAMMAWExCjAIBgNVBAoMAWIwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAASuYR8yAQGGuYhmRE3foQH9By4pE8h1uiP/gOUZnfrcQV/D
wAM0bJaPKEDCq43C1Zlp9QHxA4W5tD5vpN3AAni5o2MwYTAdBgNVHQ4EFgQUg8I/
YlsaKH7lYhXcYrQd648D1v4wHwYDVR0jBBgwFoAUg8I/YlsaKH7lYhXcYrQd648D
1v4wDwYDVR0TAQH/BAUwAwEB/zAOBgNVHREEBzAFggN4LnkwCgYIKoZIzj0EAwID
RwAwRAIgFNEOyrx30PJw6ytF7gmPRtBJEL4NGnFrXqVs29gv0lUCIFbcEM9GhtLq
yuzG4LMJKyuNtqQnetsZyuTcASfmC3oB
-----END CERTIFICATE-----
`)[0]?.bytes as Uint8Array

/** Returns the certificate with other bytes at a place. */
const withBytes = (at: number, ...bytes: ReadonlyArray<number>): Uint8Array => {
  const changed = Uint8Array.from(whole)
  changed.set(bytes, at)
  return changed
}

/** Returns the offset of these bytes, by their hexadecimal digits. */
const offsetOf = (digits: string): number => Buffer.from(whole).indexOf(Buffer.from(digits, "hex"))

// As Go 1.26 reads them in kube-apiserver v1.36.2.
describe("a certificate", () => {
  it("is read as Go reads it", () => {
    assert.isUndefined(certificateFault(whole))
    assert.strictEqual(certificateFault(Uint8Array.of(0x30, 0)), "x509: malformed tbs certificate")
    assert.strictEqual(certificateFault(Uint8Array.of(0x31, 0)), "x509: malformed certificate")
    assert.strictEqual(certificateFault(whole.subarray(0, 40)), "x509: malformed certificate")
    assert.strictEqual(certificateFault(Uint8Array.from([...whole, 0])), "x509: trailing data")
  })

  it("is refused for what is wrong in it first", () => {
    const version = offsetOf("a003020102")
    assert.strictEqual(certificateFault(withBytes(version + 4, 3)), "x509: invalid version")
    assert.strictEqual(certificateFault(withBytes(version + 2, 4)), "x509: malformed version")
    assert.strictEqual(certificateFault(withBytes(version + 5, 3)), "x509: malformed serial number")
    assert.strictEqual(certificateFault(withBytes(version + 7, 0x80)), "x509: negative serial number")
    const algorithm = offsetOf("06082a8648ce3d040302")
    assert.strictEqual(
      certificateFault(withBytes(algorithm + 9, 3)),
      "x509: inner and outer signature algorithm identifiers don't match"
    )
    const time = offsetOf("170d")
    assert.strictEqual(certificateFault(withBytes(time, 0x16)), "x509: unsupported time format")
    assert.strictEqual(certificateFault(withBytes(time + 2, 0x41)), "x509: malformed UTCTime")
    const name = offsetOf("0603550403")
    assert.strictEqual(
      certificateFault(withBytes(name + 5, 0x30)),
      "x509: invalid RDNSequence: invalid attribute value: unsupported string type: 48"
    )
  })

  it("has a key on its curve, and extensions of their form", () => {
    const curve = offsetOf("06082a8648ce3d030107")
    assert.strictEqual(certificateFault(withBytes(curve + 9, 9)), "x509: unsupported elliptic curve")
    assert.strictEqual(certificateFault(withBytes(curve, 5)), "x509: invalid ECDSA parameters")
    const key = offsetOf("034200")
    assert.strictEqual(certificateFault(withBytes(key + 3, 5)), "ecdsa: invalid uncompressed public key")
    assert.strictEqual(certificateFault(withBytes(key + 10, 1, 2, 3)), "P256 point not on curve")
    const constraints = offsetOf("0603551d13")
    assert.isAbove(constraints, 0)
    const inner = constraints + 5 + 3 + 2
    assert.strictEqual(certificateFault(withBytes(inner, 0x31)), "x509: invalid basic constraints")
  })
})
