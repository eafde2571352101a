import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto"
import type { KubeObject, Secret } from "@rollcall/api"
import { certificateFault, pemBlocks } from "@rollcall/pki"
import type { KindDefinition } from "../core/registry/KindDefinition.ts"

const noKeyPattern = (types: ReadonlyArray<string>): string =>
  `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types.join(" ")}]`

const noCertificate = (types: ReadonlyArray<string>): string => {
  if (types.length === 0) return "tls: failed to find any PEM data in certificate input"
  return types.length === 1 && types[0]?.endsWith("PRIVATE KEY")
    ? "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched"
    : `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types.join(" ")}]`
}

const noKey = (types: ReadonlyArray<string>): string => {
  if (types.length === 0) return "tls: failed to find any PEM data in key input"
  return types.length === 1 && types[0] === "CERTIFICATE"
    ? "tls: found a certificate rather than a key in the PEM for the private key"
    : noKeyPattern(types)
}

const attempt = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

const privateKeyOf = (der: Uint8Array): KeyObject | undefined => {
  const key = Buffer.from(der)
  for (const type of ["pkcs8", "pkcs1", "sec1"] as const) {
    const read = attempt(() => createPrivateKey({ key, format: "der", type }))
    if (read !== undefined) return read
  }
  return undefined
}

/** The types of keys that TLS knows. */
const keyTypes: ReadonlySet<string> = new Set(["rsa", "ec", "ed25519"])

/** Returns why a certificate and a private key, both in PEM, are no pair. Upstream: Go's crypto/tls, X509KeyPair. */
export const keyPairFault = (certificate: string, key: string): string | undefined => {
  const blocks = pemBlocks(certificate)
  const leaf = blocks.find(({ type }) => type === "CERTIFICATE")
  if (leaf === undefined) return noCertificate(blocks.map(({ type }) => type))
  const keyBlocks = pemBlocks(key)
  const keyBlock = keyBlocks.find(({ type }) => type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY"))
  if (keyBlock === undefined) return noKey(keyBlocks.map(({ type }) => type))
  const fault = certificateFault(leaf.bytes)
  if (fault !== undefined) return fault
  const read = attempt(() => new X509Certificate(leaf.bytes))
  const publicKey = attempt(() => read?.publicKey)
  if (read === undefined) return "x509: malformed certificate"
  if (!keyTypes.has(publicKey?.asymmetricKeyType ?? "")) return "tls: unknown public key algorithm"
  const privateKey = privateKeyOf(keyBlock.bytes)
  if (privateKey === undefined) return "tls: failed to parse private key"
  if (read.checkPrivateKey(privateKey)) return undefined
  return publicKey?.asymmetricKeyType === privateKey.asymmetricKeyType
    ? "tls: private key does not match public key"
    : "tls: private key type does not match public key type"
}

const textOf = (base64: string | undefined): string => Buffer.from(base64 ?? "", "base64").toString("latin1")

/** Upstream: pkg/registry/core/secret/strategy.go, warningsForSecret. */
const warningsOf = ({ data, type }: Secret): ReadonlyArray<string> => {
  if (type !== "kubernetes.io/tls") return []
  const fault = keyPairFault(textOf(data?.["tls.crt"]), textOf(data?.["tls.key"]))
  return fault === undefined ? [] : [fault]
}

/** Returns the definition of Secrets that warns of TLS Secrets whose certificate and key are no pair. */
export const withKeyPairWarnings = (definition: KindDefinition): KindDefinition => ({
  ...definition,
  strategy: { ...definition.strategy, warnings: (object: KubeObject) => warningsOf(object as Secret) }
})
