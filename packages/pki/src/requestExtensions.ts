import { checkAlternativeNames, nameTags } from "./alternativeNames.ts"
import { type Asn1, type Asn1Value, unmarshal } from "./asn1.ts"
import { need, Reader } from "./DerReader.ts"
import { DerError } from "./derHeader.ts"
import { childrenOf, dottedOf, type Element, elementsOf, textOf } from "./readDer.ts"

const attributeType: Asn1 = {
  kind: "struct",
  name: "pkcs10Attribute",
  fields: [{ type: { kind: "identifier" } }, { type: { kind: "list", items: { kind: "raw" }, isSet: true } }]
}

const extensionsType: Asn1 = {
  kind: "list",
  items: {
    kind: "struct",
    name: "Extension",
    fields: [
      { type: { kind: "identifier" } },
      { type: { kind: "boolean" }, isOptional: true },
      { type: { kind: "octets" } }
    ]
  }
}

const EXTENSION_REQUEST = "1.2.840.113549.1.9.14"
const SUBJECT_ALT_NAME = "2.5.29.17"

/** Returns the first value of the attribute that requests extensions; undefined for another attribute. */
const extensionsIn = (attribute: Element): Element | undefined => {
  try {
    const [type, values] = unmarshal(attributeType, attribute.whole).parts
    return dottedOf(type) === EXTENSION_REQUEST ? values?.parts[0] : undefined
  } catch (error) {
    // What has another form, such as a password, is ignored.
    if (error instanceof DerError) return undefined
    throw error
  }
}

/** Returns the extensions that attributes request. Upstream: Go's crypto/x509, parseCSRExtensions. */
const extensionsOf = (attributes: Asn1Value["parts"]): ReadonlyArray<readonly [id: string, value: Element]> => {
  const found: Array<readonly [id: string, value: Element]> = []
  const ids = new Set<string>()
  for (const attribute of attributes) {
    const requested = attribute === undefined ? undefined : extensionsIn(attribute)
    if (requested === undefined) continue
    for (const extension of unmarshal(extensionsType, requested.whole).parts) {
      const [type, , value] = extension?.parts ?? []
      const id = dottedOf(type)
      if (ids.has(id)) need(undefined, "certificate request contains duplicate requested extensions")
      ids.add(id)
      if (value !== undefined) found.push([id, value])
    }
  }
  return found
}

const ipText = (bytes: Uint8Array): string =>
  bytes.length === 4 ? bytes.join(".") : (Buffer.from(bytes).toString("hex").match(/.{4}/g) ?? []).join(":")

/** Returns the alternative names that the attributes of a request ask for, encoded and by type. */
export const alternativeNamesOf = (attributes: Asn1Value["parts"]) => {
  const found = extensionsOf(attributes).findLast(([id]) => id === SUBJECT_ALT_NAME)
  const encoded = found?.[1].contents
  if (encoded !== undefined) checkAlternativeNames(new Reader(encoded))
  const names = encoded === undefined ? [] : childrenOf(elementsOf(encoded)[0])
  const texts = (tag: number) => names.filter((name) => name.tag === tag).map(textOf)
  return {
    alternativeNames: encoded,
    dnsNames: texts(nameTags.dns),
    emailAddresses: texts(nameTags.email),
    uris: texts(nameTags.uri),
    ipAddresses: names.filter(({ tag }) => tag === nameTags.ip).map(({ contents }) => ipText(contents))
  }
}
