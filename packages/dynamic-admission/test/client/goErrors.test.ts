import { assert, describe, it } from "vitest"
import { goErrorText } from "../../src/client/goErrors.ts"

const fault = (code: string, more: object = {}) => goErrorText({ code, message: "as Node says it", ...more })

describe("the error of a connection", () => {
  it("is said in Go's words", () => {
    const at = { address: "fd00::1", port: 10_250 }
    assert.strictEqual(fault("ECONNREFUSED", at), "dial tcp [fd00::1]:10250: connect: connection refused")
    assert.strictEqual(fault("ETIMEDOUT", at), "dial tcp [fd00::1]:10250: connect: connection timed out")
    assert.strictEqual(fault("ENOTFOUND", { hostname: "n1" }), "dial tcp: lookup n1: no such host")
    assert.strictEqual(
      fault("ECONNREFUSED", { errors: [{ code: "ECONNREFUSED", message: "", address: "10.0.0.1", port: 1 }] }),
      "dial tcp 10.0.0.1:1: connect: connection refused"
    )
    assert.strictEqual(fault("ESOMETHING"), "as Node says it")
  })

  it("quotes the start of what is no HTTP", () => {
    const packet = Buffer.from('SSH-2.0-"x"\r\nmore')
    assert.strictEqual(
      fault("HPE_INVALID_CONSTANT", { rawPacket: packet }),
      'net/http: HTTP/1.x transport connection broken: malformed HTTP response "SSH-2.0-\\"x\\""'
    )
    const long = fault("HPE_INVALID_CONSTANT", { rawPacket: Buffer.alloc(100_000, "x") })
    assert.isBelow(long.length, 400)
  })

  it("says for what a certificate is valid", () => {
    const verified = (subjectaltname: string, host: string) =>
      fault("ERR_TLS_CERT_ALTNAME_INVALID", { cert: { subjectaltname }, host })
    const failed = "tls: failed to verify certificate: x509: "
    const both = "DNS:a, DNS:b, IP Address:10.0.0.2"
    assert.strictEqual(verified(both, "c"), `${failed}certificate is valid for a, b, not c`)
    assert.strictEqual(verified(both, "10.0.0.1"), `${failed}certificate is valid for 10.0.0.2, not 10.0.0.1`)
    assert.strictEqual(
      verified("DNS:a", "10.0.0.1"),
      `${failed}cannot validate certificate for 10.0.0.1 because it doesn't contain any IP SANs`
    )
    assert.strictEqual(
      verified("IP Address:10.0.0.2", "c"),
      `${failed}certificate is not valid for any names, but wanted to match c`
    )
    assert.strictEqual(fault("SELF_SIGNED_CERT_IN_CHAIN"), `${failed}certificate signed by unknown authority`)
  })

  it("tells a connection that was closed from one that was reset", () => {
    assert.strictEqual(fault("ECONNRESET", { message: "socket hang up" }), "EOF")
    const early = "Client network socket disconnected before secure TLS connection was established"
    assert.strictEqual(fault("ECONNRESET", { message: early }), "EOF")
    assert.strictEqual(fault("ECONNRESET", { message: "read ECONNRESET" }), "read: connection reset by peer")
  })

  it("says that an answer is not of TLS", () => {
    const said = "tls: first record does not look like a TLS handshake"
    const message =
      "write EPROTO 40:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:x.c:77:"
    assert.strictEqual(fault("EPROTO", { message }), said)
    assert.strictEqual(fault("ERR_SSL_PACKET_LENGTH_TOO_LONG"), said)
    assert.strictEqual(fault("EPROTO"), "as Node says it")
  })

  it("names the alerts of TLS", () => {
    assert.strictEqual(fault("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED"), "remote error: tls: certificate required")
    assert.strictEqual(fault("ERR_SSL_TLSV1_ALERT_UNKNOWN_CA"), "remote error: tls: unknown certificate authority")
  })
})
