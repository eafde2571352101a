import { CertificateFault, need, Reader, readIdentifier, readInteger, tags } from "./DerReader.ts"

const RSA = "2a864886f70d010101"
const DSA = "2a8648ce380401"
const ELLIPTIC = "2a8648ce3d0201"
const ED25519 = "2b6570"
const ED25519_BYTES = 32

/** A curve of short Weierstrass form, y² = x³ − 3x + b, over the integers modulo a prime. FIPS 186-4, D.1.2. */
interface Curve {
  readonly name: string
  readonly prime: bigint
  readonly b: bigint
  /** The bytes of a coordinate. */
  readonly size: number
  /** Go's text for a coordinate that is not below the prime. */
  readonly element: string
}

/** The curves by the octets of their identifier. */
const curves: Readonly<Record<string, Curve>> = {
  "2b81040021": {
    name: "P224",
    prime: 2n ** 224n - 2n ** 96n + 1n,
    b: 0xb4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4n,
    size: 28,
    element: "P224Element"
  },
  "2a8648ce3d030107": {
    name: "P256",
    prime: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
    b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
    size: 32,
    element: "P256 element"
  },
  "2b81040022": {
    name: "P384",
    prime: 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
    b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
    size: 48,
    element: "P384Element"
  },
  "2b81040023": {
    name: "P521",
    prime: 2n ** 521n - 1n,
    b: 0x51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
    size: 66,
    element: "P521Element"
  }
}

const UNCOMPRESSED = 4

const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString("hex")}`)

const checkPoint = (parameters: Reader, key: Uint8Array): void => {
  const id = need(readIdentifier(parameters), "invalid ECDSA parameters")
  const { b, element, name, prime, size } = need(curves[id], "unsupported elliptic curve")
  if (key[0] !== UNCOMPRESSED) throw new CertificateFault("ecdsa: invalid uncompressed public key")
  if (key.length !== 1 + 2 * size) throw new CertificateFault(`invalid ${name} point encoding`)
  const [x, y] = [numberOf(key.subarray(1, 1 + size)), numberOf(key.subarray(1 + size))]
  if (x >= prime || y >= prime) throw new CertificateFault(`invalid ${element} encoding`)
  if ((y ** 2n - (x ** 3n - 3n * x + b)) % prime !== 0n) throw new CertificateFault(`${name} point not on curve`)
}

const isNegative = (number: Uint8Array): boolean => (number[0] ?? 0) >= 0x80
const isPositive = (number: Uint8Array): boolean => !isNegative(number) && number.some((octet) => octet !== 0)

const INT_BYTES = 8

const checkRsa = (parameters: Reader, key: Uint8Array): void => {
  if (parameters.read(tags.nothing)?.length !== 0) need(undefined, "RSA key missing NULL parameters")
  const inner = new Reader(need(new Reader(key).read(tags.sequence), "invalid RSA public key"))
  const modulus = need(readInteger(inner), "invalid RSA modulus")
  const exponent = need(readInteger(inner), "invalid RSA public exponent")
  if (exponent.length > INT_BYTES) need(undefined, "invalid RSA public exponent")
  if (!isPositive(modulus)) need(undefined, "RSA modulus is not a positive number")
  if (!isPositive(exponent)) need(undefined, "RSA public exponent is not a positive number")
}

const checkDsa = (parameters: Reader, key: Uint8Array): void => {
  const numbers = [need(readInteger(new Reader(key)), "invalid DSA public key")]
  const inner = new Reader(need(parameters.read(tags.sequence), "invalid DSA parameters"))
  for (let count = 0; count < 3; count++) numbers.push(need(readInteger(inner), "invalid DSA parameters"))
  if (!numbers.every(isPositive)) need(undefined, "zero or negative DSA parameter")
}

/**
 * Checks a public key of a known algorithm by the algorithm's identifier and parameters. Throws `CertificateFault`.
 * Upstream: Go's crypto/x509, parser.go, parsePublicKey.
 */
export const checkPublicKey = (algorithm: Uint8Array, key: Uint8Array): void => {
  const parameters = new Reader(algorithm)
  switch (readIdentifier(parameters)) {
    case RSA:
      checkRsa(parameters, key)
      return
    case DSA:
      checkDsa(parameters, key)
      return
    case ELLIPTIC:
      checkPoint(parameters, key)
      return
    case ED25519:
      if (!parameters.isEmpty) need(undefined, "Ed25519 key encoded with illegal parameters")
      if (key.length !== ED25519_BYTES) need(undefined, "wrong Ed25519 public key size")
  }
}

/** Returns the octets of a bit string, moved to their end by the unused bits. Upstream: Go's BitString.RightAlign. */
export const rightAligned = (contents: Uint8Array): Uint8Array => {
  const [unused = 0] = contents
  const octets = contents.subarray(1)
  if (unused === 0) return octets
  return octets.map((octet, index) => ((octets[index - 1] ?? 0) << (8 - unused)) | (octet >> unused))
}
