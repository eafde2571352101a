import { X509Certificate } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  CertificateRequestFault,
  makeKeyPem,
  makeRequest,
  openPki,
  readCertificateRequest,
  type SigningTerms
} from "../src/index.ts"
import { encodeUsages } from "../src/usages.ts"

const START_MS = Date.UTC(2026, 10, 28, 9, 53, 44)

/** Made by OpenSSL 3: every attribute of a subject that Go keeps and some that it does not, two common names, and a RID. */
const requestLines = [
  "MIIBhzCCAS0CAQAwgYwxCjAIBgNVBAUTATcxDjAMBgNVBAMMBWrDtmUqMQswCQYD",
  "VQQGEwJVUzEKMAgGA1UECwwBeDEKMAgGA1UEBwwBeTEKMAgGA1UECgwBYjEKMAgG",
  "A1UECgwBYTEUMBIGCSqGSIb3DQEJARYFcUByLnMxCjAIBgNVBAgMAXoxDzANBgNV",
  "BAMMBnNlY29uZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOB0OWAR8o+NxbJH",
  "Yxr50GBYs/zGfcTa5leUCjVVNvlzVjAq2BsE07W407QdGb3D5a9P0BJPZiQnHUsI",
  "pc/tJ1WgPjA8BgkqhkiG9w0BCQ4xLzAtMCsGA1UdEQQkMCKGCmh0dHA6Ly94L3mC",
  "Am54gQVhQGIuY4cECgAAAYgDKgMEMAoGCCqGSM49BAMCA0gAMEUCIEkIWVHQboie",
  "4JIDLGWgWVXlpneahz/QaThWuQQDm9w9AiEAwyRq6H0pvdB/4RiR+hAI1sSjnX9q",
  "RdUrxbZ7XydEUnA="
]

/** What kube-controller-manager v1.36.2 signed for this request. */
const certificateLines = [
  "MIICtjCCAZ6gAwIBAgIRAPbzirKa7PCMin0s6CPmnEwwDQYJKoZIhvcNAQELBQAw",
  "FDESMBAGA1UEAwwJb3JhY2xlLWNhMB4XDTI2MTEyODA5NDg0NFoXDTI2MTEyODEw",
  "MDM0NFowZDELMAkGA1UEBhMCVVMxCjAIBgNVBAgTAXoxCjAIBgNVBAcTAXkxFDAI",
  "BgNVBAoTAWEwCAYDVQQKEwFiMQowCAYDVQQLEwF4MQ8wDQYDVQQDEwZzZWNvbmQx",
  "CjAIBgNVBAUTATcwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATgdDlgEfKPjcWy",
  "R2Ma+dBgWLP8xn3E2uZXlAo1VTb5c1YwKtgbBNO1uNO0HRm9w+WvT9AST2YkJx1L",
  "CKXP7SdVo34wfDAOBgNVHQ8BAf8EBAMCBaAwEwYDVR0lBAwwCgYIKwYBBQUHAwIw",
  "DAYDVR0TAQH/BAIwADAfBgNVHSMEGDAWgBQ5fPtZXBrL66evUgdpnVrDpeJZMzAm",
  "BgNVHREEHzAdggJueIEFYUBiLmOHBAoAAAGGCmh0dHA6Ly94L3kwDQYJKoZIhvcN",
  "AQELBQADggEBAFr98ddaJv6HHkwTiN5+m7zqYrtjfc080YfyVZKzzkh442Jgie8k",
  "8bvmhpV6VDZ5EqCGWkoTn6ALPLSsKlU8sHGtNjjl3cg/J5c17M2Hbnwd267iX+cx",
  "T1atQoHiJvXSujqgJIZ6HGypAdqtvl5IwkOMb3+5dcK7ukPKTKfFMwqmD6pVEC0O",
  "S7dSWFs/1Iq1wlkFPzj3ZPhl1orERQJe2loA2uk4Tj8x/7ZQ8FugbzymMSCu+k7w",
  "NnRvwLg/n1wabPnsuGf3sycUDVUVA6hHjE596++d4KKA3T1UNxlqBYPuPPJxm8QX",
  "SDgvqRv0Kakc9+IhnovbGDEZ9MD8gZW8aTM="
]

const pem = (type: string, body: ReadonlyArray<string>): string =>
  [`-----BEGIN ${type}-----`, ...body, `-----END ${type}-----`, ""].join("\n")

const REQUEST = pem("CERTIFICATE REQUEST", requestLines)

const terms = (...usages: ReadonlyArray<string>): SigningTerms => ({
  usages,
  notBeforeMs: START_MS - 300_000,
  notAfterMs: START_MS + 600_000
})

const pki = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "rollcall-pki-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
).pipe(Effect.flatMap((folder) => openPki({ folder: join(folder, "pki"), nowMs: START_MS })))

const partsOf = (certificate: X509Certificate) => {
  const { keyUsage, subject, subjectAltName, validFromDate, validToDate } = certificate
  return {
    keyUsage,
    subject,
    subjectAltName,
    validFromDate,
    validToDate,
    key: certificate.publicKey.export({ type: "spki", format: "pem" })
  }
}

describe("signRequest", () => {
  it.effect("signs what a genuine controller signs", () =>
    Effect.gen(function* () {
      const { authorityPem, signRequest } = yield* pki
      const signed = signRequest(REQUEST, terms("key encipherment", "digital signature", "client auth"))
      if (signed instanceof CertificateRequestFault) throw new Error(signed.message)
      const ours = new X509Certificate(signed)
      const theirs = new X509Certificate(pem("CERTIFICATE", certificateLines))
      assert.deepStrictEqual(partsOf(ours), partsOf(theirs))
      assert.isTrue(ours.verify(new X509Certificate(authorityPem).publicKey))
      // All between the end of the issuer's names and the identifier of its key: dates, subject, key and usages.
      const dates = Buffer.from("261128094844Z", "ascii")
      const bodyOf = ({ raw }: X509Certificate) =>
        raw.subarray(raw.indexOf(dates), raw.indexOf(Buffer.from([0x55, 0x1d, 0x23])) - 4)
      assert.strictEqual(bodyOf(ours).subarray(0, 180).toString("hex"), bodyOf(theirs).subarray(0, 180).toString("hex"))
    }).pipe(Effect.scoped)
  )

  it.effect("refuses usages that Kubernetes does not have, and texts that are no requests", () =>
    Effect.gen(function* () {
      const { signRequest } = yield* pki
      const faultOf = (request: string, ...usages: ReadonlyArray<string>) => {
        const signed = signRequest(request, terms(...usages))
        return signed instanceof CertificateRequestFault ? signed.message : signed
      }
      assert.strictEqual(faultOf(REQUEST, "any", "flying"), 'unrecognized usage values: ["flying"]')
      assert.strictEqual(faultOf(REQUEST, "constructor"), 'unrecognized usage values: ["constructor"]')
      assert.strictEqual(faultOf("hello", "any"), "PEM block type must be CERTIFICATE REQUEST")
    }).pipe(Effect.scoped)
  )

  it("encodes usages as bits up to the last one, and as identifiers without repetition", () => {
    const { extended, keyUsage } = encodeUsages([
      "s/mime",
      "server auth",
      "email protection",
      "decipher only",
      "signing"
    ])
    assert.deepStrictEqual(extended, ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.4"])
    assert.deepStrictEqual(keyUsage, { bytes: new Uint8Array([0x80, 0x80]), unused: 7 })
    assert.isUndefined(encodeUsages(["client auth"]).keyUsage)
  })
})

describe("makeRequest", () => {
  it("makes a request that names its subject and its addresses, signed by its key", () => {
    const subject = { commonName: "system:node:n1", organizations: ["system:nodes"] }
    const read = readCertificateRequest(makeRequest(makeKeyPem(), subject, ["n1", "10.0.0.1"]))
    if (read instanceof CertificateRequestFault) throw new Error(read.message)
    const { commonName, dnsNames, ipAddresses, organizations } = read
    assert.deepStrictEqual(
      { commonName, organizations, dnsNames, ipAddresses },
      { ...subject, dnsNames: ["n1"], ipAddresses: ["10.0.0.1"] }
    )
  })
})
