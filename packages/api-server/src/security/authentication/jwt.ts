import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto"

/*
 * JSON Web Tokens as Kubernetes issues them: signed, with ES256 or RS256. RFC 7515, RFC 7518.
 */

/** A key that signs tokens (private) or verifies them (public or private). */
export interface SigningKey {
  readonly algorithm: "ES256" | "RS256"
  /** The `kid` in the header of tokens: the digest of the public key. */
  readonly id: string
  readonly key: KeyObject
}

/** Makes a SigningKey of a private or public key. */
const keyOf = (key: KeyObject): SigningKey => {
  const spki = createPublicKey(
    key.type === "private" ? key.export({ type: "pkcs8", format: "pem" }) : key.export({ type: "spki", format: "pem" })
  ).export({ type: "spki", format: "der" })
  const algorithm = key.asymmetricKeyType === "rsa" ? "RS256" : "ES256"
  return { algorithm, id: createHash("sha256").update(spki).digest("base64url"), key }
}

export const signingKey = (privateKeyPem: string): SigningKey => keyOf(createPrivateKey(privateKeyPem))
export const verifyingKey = (publicKeyPem: string): SigningKey => keyOf(createPublicKey(publicKeyPem))

/** Returns the public half of a key as a JSON Web Key. RFC 7517. */
export const webKeyOf = ({ algorithm, id, key }: SigningKey): object => {
  const own = key.type === "private" ? createPublicKey(key.export({ type: "pkcs8", format: "pem" })) : key
  const { kty, ...parameters } = own.export({ format: "jwk" })
  return { use: "sig", kty, kid: id, alg: algorithm, ...parameters }
}

type Claims = Readonly<Record<string, unknown>>

const encodeJson = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const decodeJson = (part: string): Claims | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"))
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Claims) : undefined
  } catch {
    return undefined
  }
}

/** Returns a signed token with these claims. */
export const signJwt = ({ algorithm, id, key }: SigningKey, claims: object): string => {
  const content = `${encodeJson({ alg: algorithm, kid: id })}.${encodeJson(claims)}`
  const signature = sign("sha256", Buffer.from(content), { key, dsaEncoding: "ieee-p1363" })
  return `${content}.${signature.toString("base64url")}`
}

/** Returns the claims of a token, whose signature is not verified, or undefined if it is not a token. */
export const claimsOf = (token: string): Claims | undefined => {
  const parts = token.split(".")
  return parts.length === 3 ? decodeJson(parts[1] ?? "") : undefined
}

/**
 * Whether one of the keys signed the token, by that key's algorithm: the token's header does not choose how it is
 * verified.
 */
export const isSignedBy = (token: string, keys: ReadonlyArray<SigningKey>): boolean => {
  const end = token.lastIndexOf(".")
  const header = decodeJson(token.slice(0, token.indexOf(".")))
  const content = Buffer.from(token.slice(0, end))
  const signature = Buffer.from(token.slice(end + 1), "base64url")
  return keys.some(
    ({ algorithm, id, key }) =>
      header?.alg === algorithm &&
      (header.kid === undefined || header.kid === id) &&
      verify("sha256", content, { key, dsaEncoding: "ieee-p1363" }, signature)
  )
}
