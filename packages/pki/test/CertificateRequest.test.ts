import { assert, describe, it } from "@effect/vitest"
import { CertificateRequestFault, pemBlocks, readCertificateRequest } from "../src/index.ts"

/** Made by OpenSSL 3: O=system:nodes, CN=system:node:n1, with a DNS name and an address. */
const lines = [
  "MIIBHTCBxAIBADAwMRUwEwYDVQQKDAxzeXN0ZW06bm9kZXMxFzAVBgNVBAMMDnN5",
  "c3RlbTpub2RlOm4xMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE2i1y8opptlHn",
  "xzkX/qbwf8cgX7hJpIblszs+qPLnAqpDB1g+l9GTkuO7FUgCliaEi9gKxP21WEra",
  "n/0V8xcIVqAyMDAGCSqGSIb3DQEJDjEjMCEwHwYDVR0RBBgwFoIObjEuZXhhbXBs",
  "ZS5jb22HBAoAAAcwCgYIKoZIzj0EAwIDSAAwRQIgAcEOAtRCnQz0zWgeEqJux/EO",
  "zHrpA+ysSaEw64dfnW8CIQDpP5rV4QeX9L4dLYP9m0Cp6p86r9xo6ulnP32xobFv",
  "JA=="
]

const pem = (type: string, body: ReadonlyArray<string>): string =>
  [`-----BEGIN ${type}-----`, ...body, `-----END ${type}-----`, ""].join("\n")

const faultOf = (text: string): string | undefined => {
  const read = readCertificateRequest(text)
  return read instanceof CertificateRequestFault ? read.message : undefined
}

describe("readCertificateRequest", () => {
  it("reads the subject and the alternative names", () => {
    const read = readCertificateRequest(pem("CERTIFICATE REQUEST", lines))
    assert.isFalse(read instanceof CertificateRequestFault)
    if (read instanceof CertificateRequestFault) return
    const { commonName, dnsNames, ipAddresses, organizations } = read
    assert.deepStrictEqual([commonName, organizations], ["system:node:n1", ["system:nodes"]])
    assert.deepStrictEqual([dnsNames, ipAddresses], [["n1.example.com"], ["10.0.0.7"]])
  })

  it("refuses a signature of another key, other blocks, and bytes that are no request", () => {
    const forged = lines.map((line, index) => (index === 5 ? line.replace("zHrp", "zHrq") : line))
    assert.strictEqual(faultOf(pem("CERTIFICATE REQUEST", forged)), "x509: ECDSA verification failure")
    assert.strictEqual(faultOf(pem("CERTIFICATE", lines)), "PEM block type must be CERTIFICATE REQUEST")
    assert.strictEqual(faultOf("hello"), "PEM block type must be CERTIFICATE REQUEST")
    const short = pem("CERTIFICATE REQUEST", lines.slice(0, 2))
    assert.strictEqual(faultOf(short), "asn1: syntax error: data truncated")
  })

  it("reads any number of PEM blocks", () => {
    assert.deepStrictEqual(
      pemBlocks(`text\n${pem("A", ["AAAA"])}${pem("B", ["k: v", "", "AAAA"])}`).map(({ bytes, hasHeaders, type }) => [
        type,
        bytes.length,
        hasHeaders
      ]),
      [
        ["A", 3, false],
        ["B", 3, true]
      ]
    )
    assert.deepStrictEqual(pemBlocks(`text${pem("A", ["AAAA"])}`), [], "a block starts a line")
  })

  it("says of bytes that are no sequence what Go's encoding/asn1 says", () => {
    const faultOfBytes = (hex: string) =>
      faultOf(pem("CERTIFICATE REQUEST", [Buffer.from(hex, "hex").toString("base64")]))
    const parameters =
      "{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}"
    const other = (found: string) =>
      `asn1: structure error: tags don't match (16 vs {${found}}) ${parameters} certificateRequest @2`
    assert.deepStrictEqual(
      ["", "30", "000000", "666f6f", "30800000", "308105", "30820000", "3084ffffffff00", "30840100000001"].map(
        faultOfBytes
      ),
      [
        "asn1: syntax error: sequence truncated",
        "asn1: syntax error: truncated tag or length",
        other("class:0 tag:0 length:0 isCompound:false"),
        other("class:1 tag:6 length:111 isCompound:true"),
        "asn1: syntax error: indefinite length found (not DER)",
        "asn1: structure error: non-minimal length",
        "asn1: structure error: superfluous leading zeros in length",
        "asn1: structure error: length too large",
        "asn1: syntax error: data truncated"
      ]
    )
  })

  // As Go 1.26 reads them in kube-apiserver v1.36.2.
  it("says of damaged requests what Go's crypto/x509 says", () => {
    const whole = Buffer.from(lines.join(""), "base64")
    const faultWith = (digits: string, offset: number, ...bytes: ReadonlyArray<number>) => {
      const changed = Buffer.from(whole)
      changed.set(bytes, whole.indexOf(Buffer.from(digits, "hex")) + offset)
      return faultOf(pem("CERTIFICATE REQUEST", [changed.toString("base64")]))
    }
    const [curve, point, dns, subject] = ["2a8648ce3d030107", "034200", "820e6e31", "0603550403"]
    assert.deepStrictEqual(
      [
        faultWith(point, 10, 1, 2, 3),
        faultWith(point, 3, 5),
        faultWith(point, 4, ...Array.from({ length: 32 }, () => 0xff)),
        faultWith(curve, 7, 9),
        faultWith(point, 2, 9),
        faultWith(dns, 2, 0x80),
        faultWith(dns, 0, 0x87),
        faultWith(subject, 7, 0xff),
        faultWith(subject, 5, 0x13, 1, 0x5f),
        faultWith("020100", 0, 4),
        faultWith("2a8648ce3d0403", 7, 9)
      ],
      [
        "P256 point not on curve",
        "ecdsa: invalid uncompressed public key",
        "invalid P256 element encoding",
        "x509: unsupported elliptic curve",
        "asn1: syntax error: invalid padding bits in BIT STRING",
        "x509: SAN dNSName is malformed",
        "x509: cannot parse IP address of length 14",
        "asn1: invalid UTF-8 string",
        "asn1: syntax error: PrintableString contains invalid character",
        "asn1: structure error: tags don't match (2 vs {class:0 tag:4 length:1 isCompound:false}) {optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false} int @2",
        "x509: cannot verify signature: algorithm unimplemented"
      ]
    )
  })

  it("finds the blocks that Go's encoding/pem finds", () => {
    const typesIn = (text: string) => pemBlocks(text).map(({ bytes, type }) => `${type} ${bytes.length}`)
    const block = pem("A", ["AAAA"])
    assert.deepStrictEqual(typesIn(`-----BEGIN B-----\nAAAA\n${block}`), ["A 3"], "the last BEGIN before an END")
    assert.deepStrictEqual(typesIn(`${block.replace("AAAA", "AAAAA")}${block}`), ["A 3"], "not what is no base64")
    assert.deepStrictEqual(typesIn(block.replace("AAAA\n", "")), ["A 0"])
    assert.deepStrictEqual(typesIn(block.replace("END A", "END B")), [])
  })
})
