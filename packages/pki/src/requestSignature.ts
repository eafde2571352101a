import { type KeyObject, verify } from "node:crypto"

interface Algorithm {
  readonly key: "RSA" | "ECDSA" | "Ed25519" | "DSA"
  /** Null if the key says how it signs. */
  readonly digest: string | null
}

const rsa = (digest: string): Algorithm => ({ key: "RSA", digest })
const ecdsa = (digest: string): Algorithm => ({ key: "ECDSA", digest })
const dsa = (digest: string): Algorithm => ({ key: "DSA", digest })

/** The algorithms that Go knows, by identifier. Upstream: Go's crypto/x509, signatureAlgorithmDetails. */
const algorithms: Readonly<Record<string, Algorithm>> = {
  "1.2.840.113549.1.1.4": rsa("md5"),
  "1.2.840.113549.1.1.5": rsa("sha1"),
  "1.3.14.3.2.29": rsa("sha1"),
  "1.2.840.113549.1.1.11": rsa("sha256"),
  "1.2.840.113549.1.1.12": rsa("sha384"),
  "1.2.840.113549.1.1.13": rsa("sha512"),
  "1.2.840.10040.4.3": dsa("sha1"),
  "2.16.840.1.101.3.4.3.2": dsa("sha256"),
  "1.2.840.10045.4.1": ecdsa("sha1"),
  "1.2.840.10045.4.3.2": ecdsa("sha256"),
  "1.2.840.10045.4.3.3": ecdsa("sha384"),
  "1.2.840.10045.4.3.4": ecdsa("sha512"),
  "1.3.101.112": { key: "Ed25519", digest: null }
}

interface KeyType {
  readonly key: Algorithm["key"]
  /** The name of Go's type. */
  readonly name: string
  /** What Go says of a signature that the key did not make. */
  readonly fault: string
}

/** The types of keys that check signatures, by Node's names. */
const keyTypes: Readonly<Record<string, KeyType>> = {
  rsa: { key: "RSA", name: "*rsa.PublicKey", fault: "crypto/rsa: verification error" },
  ec: { key: "ECDSA", name: "*ecdsa.PublicKey", fault: "x509: ECDSA verification failure" },
  ed25519: { key: "Ed25519", name: "ed25519.PublicKey", fault: "x509: Ed25519 verification failure" }
}

const UNIMPLEMENTED = "x509: cannot verify signature: algorithm unimplemented"

export interface Signed {
  readonly body: Uint8Array
  /** The dotted identifier of the algorithm. */
  readonly algorithm: string
  readonly hasParameters: boolean
  readonly signature: Uint8Array
}

/** Returns why a signature is not that of the key; undefined if it is. Upstream: Go's crypto/x509, checkSignature. */
export const signatureFault = (signed: Signed, key: KeyObject | undefined): string | undefined => {
  const algorithm = algorithms[signed.algorithm]
  if (algorithm === undefined || (algorithm.key === "Ed25519" && signed.hasParameters)) return UNIMPLEMENTED
  if (algorithm.digest === "md5") return "x509: cannot verify signature: insecure algorithm MD5-RSA"
  const type = keyTypes[key?.asymmetricKeyType ?? ""]
  if (key === undefined || type === undefined) return UNIMPLEMENTED
  if (type.key !== algorithm.key) {
    return `x509: signature algorithm specifies an ${algorithm.key} public key, but have public key of type ${type.name}`
  }
  return verify(algorithm.digest, signed.body, key, signed.signature) ? undefined : type.fault
}
