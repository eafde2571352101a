import { assert, describe, it } from "@effect/vitest"
import { connectionErrorText } from "../src/http/connectionError.ts"

const target = { host: "::1", port: 6443, nowMs: Date.UTC(2026, 0, 1) }
const errorWith = (code: string, more: object = {}) =>
  Object.assign(new Error(`as Node says: ${code}`), { code, ...more })

describe("errors of connections, in Go's words", () => {
  it("describe addresses without a listener", () => {
    assert.strictEqual(
      connectionErrorText(errorWith("ECONNREFUSED"), target),
      "dial tcp [::1]:6443: connect: connection refused"
    )
    // What both addresses of a name refused has no text of its own.
    const both = new AggregateError([], "")
    assert.strictEqual(
      connectionErrorText(Object.assign(both, { code: "ECONNREFUSED" }), { ...target, host: "localhost" }),
      "dial tcp localhost:6443: connect: connection refused"
    )
    assert.strictEqual(
      connectionErrorText(errorWith("ENOTFOUND"), { ...target, host: "nosuch.example" }),
      "dial tcp: lookup nosuch.example: no such host"
    )
  })

  it("describe invalid certificates", () => {
    const x509 = "tls: failed to verify certificate: x509: certificate"
    assert.strictEqual(
      connectionErrorText(errorWith("UNABLE_TO_VERIFY_LEAF_SIGNATURE"), target),
      `${x509} signed by unknown authority`
    )
    assert.strictEqual(
      connectionErrorText(errorWith("CERT_NOT_YET_VALID"), target),
      `${x509} has expired or is not yet valid: current time 2026-01-01T00:00:00Z is before the certificate's notBefore`
    )
    assert.strictEqual(
      connectionErrorText(errorWith("CERT_HAS_EXPIRED"), target),
      `${x509} has expired or is not yet valid: current time 2026-01-01T00:00:00Z is after the certificate's notAfter`
    )
    const cert = { subjectaltname: "DNS:localhost, IP Address:127.0.0.1" }
    assert.strictEqual(
      connectionErrorText(errorWith("ERR_TLS_CERT_ALTNAME_INVALID", { cert }), {
        ...target,
        serverName: "api.example"
      }),
      `${x509} is valid for localhost, 127.0.0.1, not api.example`
    )
  })

  it("leave other errors as they are", () => {
    assert.strictEqual(connectionErrorText(errorWith("EPIPE"), target), "as Node says: EPIPE")
    assert.strictEqual(connectionErrorText("text", target), "text")
  })
})
