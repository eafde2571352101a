import { type KeyObject, randomBytes, sign } from "node:crypto"
import { formatTime } from "@rollcall/api"
import * as der from "./der.ts"

/** What a certificate says, before it is signed. */
export interface ToBeSigned {
  readonly issuer: Uint8Array
  readonly subject: Uint8Array
  readonly key: KeyObject
  readonly notBeforeMs: number
  readonly notAfterMs: number
  readonly extensions: ReadonlyArray<Buffer>
}

/** How a key signs: the algorithm as it is encoded, and the digest. */
export interface SignatureAlgorithm {
  readonly encoded: Buffer
  readonly digest: string | null
}

const ecdsa = (id: string, digest: string): SignatureAlgorithm => ({
  encoded: der.sequence(der.objectIdentifier(id)),
  digest
})

const ecdsaByCurve: Readonly<Record<string, SignatureAlgorithm>> = {
  prime256v1: ecdsa("1.2.840.10045.4.3.2", "sha256"),
  secp384r1: ecdsa("1.2.840.10045.4.3.3", "sha384"),
  secp521r1: ecdsa("1.2.840.10045.4.3.4", "sha512")
}

const rsaWithSha256: SignatureAlgorithm = {
  encoded: der.sequence(der.objectIdentifier("1.2.840.113549.1.1.11"), der.nothing),
  digest: "sha256"
}

const ed25519: SignatureAlgorithm = { encoded: der.sequence(der.objectIdentifier("1.3.101.112")), digest: null }

/** Returns how a key signs by default. Upstream: Go's crypto/x509, signingParamsForKey. */
export const algorithmOf = (key: KeyObject): SignatureAlgorithm => {
  if (key.asymmetricKeyType === "rsa") return rsaWithSha256
  if (key.asymmetricKeyType === "ed25519") return ed25519
  const algorithm = ecdsaByCurve[key.asymmetricKeyDetails?.namedCurve ?? ""]
  if (algorithm === undefined) throw new Error("x509: only RSA, ECDSA and Ed25519 keys supported")
  return algorithm
}

/** Returns bytes as a PEM block. */
export const pemOf = (type: string, bytes: Buffer): string => {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? []
  return `-----BEGIN ${type}-----\n${lines.join("\n")}\n-----END ${type}-----\n`
}

/** Signs a certificate, and returns it in PEM. */
export const signCertificate = (
  { extensions, issuer, key, notAfterMs, notBeforeMs, subject }: ToBeSigned,
  issuerKey: KeyObject
): string => {
  const { digest, encoded } = algorithmOf(issuerKey)
  const body = der.sequence(
    der.explicit(0, der.integer(Buffer.from([2]))),
    der.integer(randomBytes(16)),
    encoded,
    issuer,
    der.sequence(der.time(formatTime(notBeforeMs)), der.time(formatTime(notAfterMs))),
    subject,
    key.export({ type: "spki", format: "der" }),
    der.explicit(3, der.sequence(...extensions))
  )
  const certificate = der.sequence(body, encoded, der.bitString(sign(digest, body, issuerKey)))
  return pemOf("CERTIFICATE", certificate)
}

/* The object identifiers of the extensions are those of RFC 5280, section 4.2.1: 14 SubjectKeyIdentifier, 15 KeyUsage,
 * 17 SubjectAltName, 19 BasicConstraints, 35 AuthorityKeyIdentifier, 37 ExtKeyUsage. */
export const extension = (id: string, value: Uint8Array, critical = false): Buffer =>
  der.sequence(der.objectIdentifier(id), ...(critical ? [der.boolean(true)] : []), der.octetString(value))
