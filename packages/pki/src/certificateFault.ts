import { isUtf8 } from "node:buffer"
import { checkAlternativeNames } from "./alternativeNames.ts"
import { CertificateFault, context, need, Reader, readBits, readIdentifier, readInteger, tags } from "./DerReader.ts"
import { isTwoByteText } from "./primitives.ts"
import { checkPublicKey, rightAligned } from "./publicKeyFault.ts"

const checkAlgorithm = (bytes: Uint8Array): void => {
  const reader = new Reader(bytes)
  need(readIdentifier(reader), "malformed OID")
  if (!reader.isEmpty) need(reader.readAny(), "malformed parameters")
}

/** Returns why bytes are no text of the type. */
const textFault = (tag: number, bytes: Buffer): string | undefined => {
  switch (tag) {
    case tags.utf8:
      return isUtf8(bytes) ? undefined : "invalid UTF-8 string"
    case tags.printable:
      return /^[A-Za-z0-9 '()+,\-./:=?*&]*$/.test(bytes.toString("latin1")) ? undefined : "invalid PrintableString"
    case tags.ia5:
      return bytes.every((octet) => octet < 0x80) ? undefined : "invalid IA5String"
    case tags.numeric:
      return /^[\d ]*$/.test(bytes.toString("latin1")) ? undefined : "invalid NumericString"
    case tags.bmp:
      return isTwoByteText(bytes) ? undefined : "invalid BMPString"
    case tags.t61:
      return undefined
    default:
      return `unsupported string type: ${tag}`
  }
}

const RDN = "invalid RDNSequence"

const checkName = (bytes: Uint8Array): void => {
  const names = new Reader(bytes)
  while (!names.isEmpty) {
    const set = new Reader(need(names.read(tags.set), RDN))
    while (!set.isEmpty) {
      const attribute = new Reader(need(set.read(tags.sequence), `${RDN}: invalid attribute`))
      need(readIdentifier(attribute), `${RDN}: invalid attribute type`)
      const { tag } = attribute
      const value = need(attribute.readAny(), `${RDN}: invalid attribute value`)
      const fault = textFault(tag, Buffer.from(value))
      if (fault !== undefined) need(undefined, `${RDN}: invalid attribute value: ${fault}`)
    }
  }
}

const isTime = (bytes: Uint8Array | undefined, shape: RegExp): true | undefined =>
  bytes !== undefined && shape.test(Buffer.from(bytes).toString("latin1")) ? true : undefined

const DAY_TIME = "(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01])(?:[01]\\d|2[0-3])[0-5]\\d"
const utcTime = new RegExp(`^\\d\\d${DAY_TIME}(?:[0-5]\\d)?(?:Z|[+-]\\d{4})$`)
const generalizedTime = new RegExp(`^\\d{4}${DAY_TIME}[0-5]\\d(?:Z|[+-]\\d{4})$`)

const checkTime = (reader: Reader): void => {
  if (reader.has(tags.utcTime)) need(isTime(reader.read(tags.utcTime), utcTime), "malformed UTCTime")
  else if (reader.has(tags.generalizedTime))
    need(isTime(reader.read(tags.generalizedTime), generalizedTime), "malformed GeneralizedTime")
  else need(undefined, "unsupported time format")
}

/** Checks the version, and returns it: 1 if there is none. */
const versionOf = (tbs: Reader): number => {
  if (!tbs.has(context(0))) return 1
  const inner = new Reader(need(tbs.read(context(0)), "malformed version"))
  const value = need(readInteger(inner), "malformed version")
  if (!inner.isEmpty || (value[0] ?? 0) >= 0x80) need(undefined, "malformed version")
  if (value.length > 1 || (value[0] ?? 0) > 2) need(undefined, "invalid version")
  return (value[0] ?? 0) + 1
}

const checkKey = (tbs: Reader): void => {
  const info = new Reader(need(tbs.read(tags.sequence), "malformed spki"))
  const algorithm = need(info.read(tags.sequence), "malformed public key algorithm identifier")
  checkAlgorithm(algorithm)
  checkPublicKey(algorithm, rightAligned(need(readBits(info), "malformed subjectPublicKey")))
}

const isBoolean = (bytes: Uint8Array | undefined): boolean =>
  bytes?.length === 1 && (bytes[0] === 0 || bytes[0] === 0xff)

const checkConstraints = (reader: Reader): void => {
  const fault = "invalid basic constraints"
  const inner = new Reader(need(reader.read(tags.sequence), fault))
  if (inner.has(tags.boolean) && !isBoolean(inner.read(tags.boolean))) need(undefined, fault)
  if (inner.has(tags.integer)) need(readInteger(inner), fault)
}

const checkAuthorityKey = (reader: Reader): void => {
  const fault = "invalid authority key identifier"
  const inner = new Reader(need(reader.read(tags.sequence), fault))
  if (inner.has(context(0, false))) need(inner.readAny(), fault)
}

const checkUsages = (reader: Reader): void => {
  const fault = "invalid extended key usages"
  const usages = new Reader(need(reader.read(tags.sequence), fault))
  while (!usages.isEmpty) need(readIdentifier(usages), fault)
}

/** The extensions that Go reads, by the octets of their identifier. */
const knownExtensions: Readonly<Record<string, (reader: Reader) => void>> = {
  "551d0e": (reader) => need(reader.read(tags.octets), "invalid subject key identifier"),
  "551d0f": (reader) => need(readBits(reader), "invalid key usage"),
  "551d11": checkAlternativeNames,
  "551d13": checkConstraints,
  "551d23": checkAuthorityKey,
  "551d25": checkUsages
}

const checkExtensions = (tbs: Reader): void => {
  if (!tbs.has(context(3))) return
  const outer = new Reader(need(tbs.read(context(3)), "malformed extensions"))
  const extensions = new Reader(need(outer.read(tags.sequence), "malformed extensions"))
  const found: Array<readonly [id: string, value: Uint8Array]> = []
  while (!extensions.isEmpty) {
    const extension = new Reader(need(extensions.read(tags.sequence), "malformed extension"))
    const id = need(readIdentifier(extension), "malformed extension OID field")
    if (extension.has(tags.boolean) && !isBoolean(extension.read(tags.boolean)))
      need(undefined, "malformed extension critical field")
    found.push([id, need(extension.read(tags.octets), "malformed extension value field")])
  }
  for (const [id, value] of found) knownExtensions[id]?.(new Reader(value))
}

const check = (bytes: Uint8Array): void => {
  const whole = new Reader(bytes)
  const certificate = new Reader(need(whole.read(tags.sequence), "malformed certificate"))
  const tbs = new Reader(need(certificate.read(tags.sequence), "malformed tbs certificate"))
  const version = versionOf(tbs)
  const serial = need(readInteger(tbs), "malformed serial number")
  if ((serial[0] ?? 0) >= 0x80) need(undefined, "negative serial number")
  const algorithm = need(tbs.read(tags.sequence), "malformed signature algorithm identifier")
  const outer = need(certificate.read(tags.sequence), "malformed algorithm identifier")
  if (!Buffer.from(outer).equals(algorithm))
    need(undefined, "inner and outer signature algorithm identifiers don't match")
  checkAlgorithm(algorithm)
  checkName(need(tbs.read(tags.sequence), "malformed issuer"))
  const validity = new Reader(need(tbs.read(tags.sequence), "malformed validity"))
  checkTime(validity)
  checkTime(validity)
  checkName(need(tbs.read(tags.sequence), "malformed issuer"))
  checkKey(tbs)
  if (version > 1) {
    if (tbs.has(context(1, false))) need(tbs.readAny(), "malformed issuerUniqueID")
    if (tbs.has(context(2, false))) need(tbs.readAny(), "malformed subjectUniqueID")
    if (version === 3) checkExtensions(tbs)
  }
  need(readBits(certificate), "malformed signature")
  if (!whole.isEmpty) need(undefined, "trailing data")
}

/**
 * Returns why bytes are no certificate, in Go's words; undefined if they have the form of one. Upstream: Go's
 * crypto/x509, parser.go, parseCertificate.
 */
export const certificateFault = (bytes: Uint8Array): string | undefined => {
  try {
    check(bytes)
    return undefined
  } catch (error) {
    if (error instanceof CertificateFault) return error.message
    throw error
  }
}
