import { createPublicKey, type KeyObject, verify } from "node:crypto"
import { childrenOf, DerError, dottedOf, type Element, elementsOf, sequenceOf, textOf } from "./readDer.ts"
import { attributesOf } from "./requestNames.ts"

/** A certificate request (PKCS #10, RFC 2986), as far as Kubernetes' signers read it. */
export interface CertificateRequestContent {
  readonly commonName: string
  readonly organizations: ReadonlyArray<string>
  readonly dnsNames: ReadonlyArray<string>
  readonly emailAddresses: ReadonlyArray<string>
  readonly ipAddresses: ReadonlyArray<string>
  readonly uris: ReadonlyArray<string>
  /** The subject and the alternative names as they are encoded. */
  readonly subject: Uint8Array
  readonly alternativeNames: Uint8Array | undefined
  readonly publicKey: KeyObject
}

/** Why a text is no request, or its signature is not that of its key. */
export class CertificateRequestFault {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

export interface PemBlock {
  readonly type: string
  readonly bytes: Uint8Array
  readonly hasHeaders: boolean
}

const blockPattern = /(?<=^|\n)-----BEGIN ([^\n]*?)-----[ \t\r]*\n([\s\S]*?)\n?-----END \1-----[ \t\r]*(?:\n|$)/g

/** Returns the blocks of a PEM text; all else in it is ignored, as Go's encoding/pem does. */
export const pemBlocks = (text: string): ReadonlyArray<PemBlock> =>
  [...text.matchAll(blockPattern)].flatMap(([, type = "", body = ""]) => {
    const hasHeaders = body.includes(":")
    const encoded = (hasHeaders ? body.slice(body.indexOf("\n\n") + 1) : body).replace(/\s/g, "")
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) return []
    return [{ type, bytes: Buffer.from(encoded, "base64"), hasHeaders }]
  })

interface Algorithm {
  /** Undefined if the key says how it signs. */
  readonly digest: string | null
  readonly fault: string
}

const rsa = (digest: string): Algorithm => ({ digest, fault: "crypto/rsa: verification error" })
const ecdsa = (digest: string): Algorithm => ({ digest, fault: "x509: ECDSA verification failure" })

const algorithms: Readonly<Record<string, Algorithm>> = {
  "1.2.840.113549.1.1.11": rsa("sha256"),
  "1.2.840.113549.1.1.12": rsa("sha384"),
  "1.2.840.113549.1.1.13": rsa("sha512"),
  "1.2.840.10045.4.3.2": ecdsa("sha256"),
  "1.2.840.10045.4.3.3": ecdsa("sha384"),
  "1.2.840.10045.4.3.4": ecdsa("sha512"),
  "1.3.101.112": { digest: null, fault: "x509: Ed25519 verification failure" }
}

const signatureFault = (body: Element, key: KeyObject, algorithm: Element, signature: Element): string | undefined => {
  const known = algorithms[dottedOf(childrenOf(algorithm)[0])]
  if (known === undefined) return "x509: cannot verify signature: algorithm unimplemented"
  return verify(known.digest, body.whole, key, signature.contents.subarray(1)) ? undefined : known.fault
}

const extensionRequest = "1.2.840.113549.1.9.14"
const subjectAltName = "2.5.29.17"

/** Returns the encoded alternative names of a request's attributes. */
const alternativeNamesOf = (attributes: Element | undefined): Uint8Array | undefined => {
  if (attributes === undefined) return undefined
  for (const attribute of childrenOf(attributes)) {
    const [type, values] = childrenOf(attribute)
    if (dottedOf(type) !== extensionRequest) continue
    for (const extension of childrenOf(childrenOf(values)[0])) {
      const [id, ...rest] = childrenOf(extension)
      if (dottedOf(id) === subjectAltName) return rest.at(-1)?.contents
    }
  }
  return undefined
}

const ipText = (bytes: Uint8Array): string =>
  bytes.length === 4 ? bytes.join(".") : (Buffer.from(bytes).toString("hex").match(/.{4}/g) ?? []).join(":")

/** The tags of RFC 5280's GeneralName. */
const nameTags = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const

const namesOf = (alternativeNames: Uint8Array | undefined) => {
  const names = alternativeNames === undefined ? [] : childrenOf(elementsOf(alternativeNames)[0])
  const texts = (tag: number) => names.filter((name) => name.tag === tag).map(textOf)
  return {
    dnsNames: texts(nameTags.dns),
    emailAddresses: texts(nameTags.email),
    uris: texts(nameTags.uri),
    ipAddresses: names.filter(({ tag }) => tag === nameTags.ip).map(({ contents }) => ipText(contents))
  }
}

const readRequest = (bytes: Uint8Array): CertificateRequestContent | CertificateRequestFault => {
  const [body, algorithm, signature] = childrenOf(sequenceOf(bytes, "certificateRequest"))
  const [, subject, spki, attributes] = childrenOf(body)
  if (body === undefined || algorithm === undefined || signature === undefined) {
    return new CertificateRequestFault("asn1: syntax error: sequence truncated")
  }
  if (subject === undefined || spki === undefined) {
    return new CertificateRequestFault("asn1: syntax error: sequence truncated")
  }
  const publicKey = createPublicKey({ key: Buffer.from(spki.whole), format: "der", type: "spki" })
  const fault = signatureFault(body, publicKey, algorithm, signature)
  if (fault !== undefined) return new CertificateRequestFault(fault)
  const alternativeNames = alternativeNamesOf(attributes)
  return {
    commonName: attributesOf(subject, "2.5.4.3").at(-1) ?? "",
    organizations: attributesOf(subject, "2.5.4.10"),
    ...namesOf(alternativeNames),
    subject: subject.whole,
    alternativeNames,
    publicKey
  }
}

/**
 * Reads a certificate request in PEM and checks its signature. Upstream: pkg/apis/certificates/helpers.go, ParseCSR, and
 * Go's crypto/x509.
 */
export const readCertificateRequest = (pem: string): CertificateRequestContent | CertificateRequestFault => {
  const [block] = pemBlocks(pem)
  if (block === undefined || block.type !== "CERTIFICATE REQUEST") {
    return new CertificateRequestFault("PEM block type must be CERTIFICATE REQUEST")
  }
  try {
    return readRequest(block.bytes)
  } catch (error) {
    // Node's error about a key that it cannot read; Go words these in many ways.
    return new CertificateRequestFault(error instanceof DerError ? error.message : "x509: unsupported public key")
  }
}
