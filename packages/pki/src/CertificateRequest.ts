import { createPublicKey, type KeyObject } from "node:crypto"
import { type Asn1, type Asn1Value, unmarshal } from "./asn1.ts"
import { CertificateFault } from "./DerReader.ts"
import { DerError } from "./derHeader.ts"
import { pemBlocks } from "./pem.ts"
import { checkPublicKey, rightAligned } from "./publicKeyFault.ts"
import { dottedOf } from "./readDer.ts"
import { alternativeNamesOf } from "./requestExtensions.ts"
import { attributesOf } from "./requestNames.ts"
import { signatureFault } from "./requestSignature.ts"

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

const algorithmType: Asn1 = {
  kind: "struct",
  name: "AlgorithmIdentifier",
  fields: [{ type: { kind: "identifier" } }, { type: { kind: "raw" }, isOptional: true }]
}

const publicKeyType: Asn1 = {
  kind: "struct",
  name: "publicKeyInfo",
  fields: [{ type: algorithmType }, { type: { kind: "bits" } }]
}

const bodyType: Asn1 = {
  kind: "struct",
  name: "tbsCertificateRequest",
  fields: [
    { type: { kind: "int" } },
    { type: { kind: "raw" } },
    { type: publicKeyType },
    { type: { kind: "list", items: { kind: "raw" } }, tag: 0 }
  ]
}

const requestType: Asn1 = {
  kind: "struct",
  name: "certificateRequest",
  fields: [{ type: bodyType }, { type: algorithmType }, { type: { kind: "bits" } }]
}

const subjectType: Asn1 = {
  kind: "list",
  name: "RDNSequence",
  items: {
    kind: "list",
    name: "RelativeDistinguishedNameSET",
    isSet: true,
    items: {
      kind: "struct",
      name: "AttributeTypeAndValue",
      fields: [{ type: { kind: "identifier" } }, { type: { kind: "any" } }]
    }
  }
}

const NOTHING = new Uint8Array()

/** Returns a field that a struct cannot lack. */
const required = (value: Asn1Value | undefined): Asn1Value => {
  if (value === undefined) throw new DerError("asn1: syntax error: sequence truncated")
  return value
}

/** Returns the key of an encoded SubjectPublicKeyInfo; undefined for one that signs nothing here. */
const keyOf = (info: Uint8Array): KeyObject | undefined => {
  try {
    return createPublicKey({ key: Buffer.from(info), format: "der", type: "spki" })
  } catch {
    return undefined
  }
}

const readRequest = (bytes: Uint8Array): CertificateRequestContent | CertificateRequestFault => {
  const [body, algorithm, signature] = unmarshal(requestType, bytes).parts.map(required)
  const [, subject, info, attributes] = required(body).parts.map(required)
  const [keyAlgorithm, key] = required(info).parts
  checkPublicKey(required(keyAlgorithm).contents, rightAligned(required(key).contents))
  const name = unmarshal(subjectType, required(subject).whole)
  const names = alternativeNamesOf(required(attributes).parts)
  const [identifier, parameters] = required(algorithm).parts
  const publicKey = keyOf(required(info).whole)
  const signed = {
    body: required(body).whole,
    algorithm: dottedOf(identifier),
    hasParameters: parameters !== undefined,
    signature: rightAligned(signature?.contents ?? NOTHING)
  }
  const fault = signatureFault(signed, publicKey)
  if (fault !== undefined || publicKey === undefined) return new CertificateRequestFault(fault ?? "")
  return {
    commonName: attributesOf(name, "2.5.4.3").at(-1) ?? "",
    organizations: attributesOf(name, "2.5.4.10"),
    ...names,
    subject: name.whole,
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
    if (error instanceof DerError || error instanceof CertificateFault)
      return new CertificateRequestFault(error.message)
    throw error
  }
}
