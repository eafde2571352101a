import { CertificateFault, need, Reader, tags } from "./DerReader.ts"

/** The tags of RFC 5280's GeneralName. */
export const nameTags = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const

/** Go's names for the alternative names that are texts. */
const textNames: Readonly<Record<number, string>> = {
  [nameTags.email]: "rfc822Name",
  [nameTags.dns]: "dNSName",
  [nameTags.uri]: "uniformResourceIdentifier"
}

/** Throws for alternative names that Go does not read. Upstream: Go's crypto/x509, parser.go, parseSANExtension. */
export const checkAlternativeNames = (reader: Reader): void => {
  const names = new Reader(need(reader.read(tags.sequence), "invalid subject alternative names"))
  while (!names.isEmpty) {
    const { tag } = names
    const contents = need(names.readAny(), "invalid subject alternative name")
    const text = textNames[tag]
    if (text !== undefined && contents.some((octet) => octet >= 0x80)) need(undefined, `SAN ${text} is malformed`)
    if (tag === nameTags.ip && contents.length !== 4 && contents.length !== 16)
      throw new CertificateFault(`x509: cannot parse IP address of length ${contents.length}`)
  }
}
