import { createPrivateKey, createPublicKey, sign } from "node:crypto"
import { alternativeName, nameOf, type Subject } from "./Certificate.ts"
import * as der from "./der.ts"
import { algorithmOf, extension, pemOf } from "./signCertificate.ts"

/** Returns a certificate request in PEM (PKCS #10) for a key, with DNS names and IP addresses that its owner answers to. */
export const makeRequest = (keyPem: string, subject: Subject, names: ReadonlyArray<string> = []): string => {
  const key = createPrivateKey(keyPem)
  const { digest, encoded } = algorithmOf(key)
  const alternativeNames = extension("2.5.29.17", der.sequence(...names.map(alternativeName)))
  const attributes =
    names.length === 0
      ? []
      : [der.sequence(der.objectIdentifier("1.2.840.113549.1.9.14"), der.set(der.sequence(alternativeNames)))]
  const body = der.sequence(
    der.integer(Buffer.from([0])),
    nameOf(subject),
    createPublicKey(key).export({ type: "spki", format: "der" }),
    der.explicit(0, ...attributes)
  )
  return pemOf("CERTIFICATE REQUEST", der.sequence(body, encoded, der.bitString(sign(digest, body, key))))
}
