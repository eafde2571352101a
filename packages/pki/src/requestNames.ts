import * as der from "./der.ts"
import { childrenOf, dottedOf, type Element, elementsOf, textOf } from "./readDer.ts"

/** The parts of a name that Go's crypto/x509/pkix keeps, in the order in which it writes them. */
const keptAttributes = [
  { id: "2.5.4.6", many: true },
  { id: "2.5.4.8", many: true },
  { id: "2.5.4.7", many: true },
  { id: "2.5.4.9", many: true },
  { id: "2.5.4.17", many: true },
  { id: "2.5.4.10", many: true },
  { id: "2.5.4.11", many: true },
  { id: "2.5.4.3", many: false },
  { id: "2.5.4.5", many: false }
] as const

const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/

const encodedText = (text: string): Uint8Array =>
  PRINTABLE.test(text) ? der.printableString(text) : der.utf8String(text)

/** Returns the texts of an attribute of a name. */
export const attributesOf = (name: Element, id: string): ReadonlyArray<string> =>
  childrenOf(name).flatMap((set) =>
    childrenOf(set).flatMap((attribute) => {
      const [type, value] = childrenOf(attribute)
      return dottedOf(type) === id && value !== undefined ? [textOf(value)] : []
    })
  )

/**
 * Returns the subject of a request as a certificate repeats it: the attributes that Go knows, in its order, the values of one
 * attribute in one set, the last common name. Upstream: Go's crypto/x509/pkix, Name.FillFromRDNSequence and ToRDNSequence.
 */
export const subjectOfRequest = (subject: Uint8Array): Uint8Array => {
  const [name] = elementsOf(subject)
  if (name === undefined) return der.sequence()
  const sets = keptAttributes.flatMap(({ id, many }) => {
    const texts = attributesOf(name, id)
    const kept = many ? texts : texts.slice(-1).filter((text) => text !== "")
    if (kept.length === 0) return []
    const members = kept.map((text) => der.sequence(der.objectIdentifier(id), encodedText(text)))
    return [der.set(...members.toSorted(Buffer.compare))]
  })
  return der.sequence(...sets)
}

/** The tags of RFC 5280's GeneralName that a certificate repeats, in the order in which Go writes them. */
const nameTags = [0x82, 0x81, 0x87, 0x86]

/** Returns the alternative names of a request as a certificate repeats them; undefined if there are none of these. */
export const alternativeNamesOfRequest = (encoded: Uint8Array | undefined): Uint8Array | undefined => {
  if (encoded === undefined) return undefined
  const names = childrenOf(elementsOf(encoded)[0])
  const kept = nameTags.flatMap((tag) => names.filter((name) => name.tag === tag).map(({ whole }) => whole))
  return kept.length === 0 ? undefined : der.sequence(...kept)
}
