import { createPrivateKey, X509Certificate } from "node:crypto"
import type { KeyAndCertificate } from "./Certificate.ts"
import { CertificateRequestFault, readCertificateRequest } from "./CertificateRequest.ts"
import * as der from "./der.ts"
import { childrenOf, dottedOf, elementsOf } from "./readDer.ts"
import { alternativeNamesOfRequest, subjectOfRequest } from "./requestNames.ts"
import { extension, signCertificate } from "./signCertificate.ts"
import { encodeUsages } from "./usages.ts"

/** How a request is signed. */
export interface SigningTerms {
  /** The usages by the names of the API: `client auth`. */
  readonly usages: ReadonlyArray<string>
  readonly notBeforeMs: number
  readonly notAfterMs: number
}

const EXTENSIONS_TAG = 0xa3
const SUBJECT_KEY_IDENTIFIER = "2.5.29.14"

/** Returns the contents of a certificate's subject key identifier, if it has one. */
const subjectKeyIdentifierOf = (certificate: Uint8Array): Uint8Array | undefined => {
  const [body] = childrenOf(elementsOf(certificate)[0])
  const extensions = childrenOf(body).find(({ tag }) => tag === EXTENSIONS_TAG)
  if (extensions === undefined) return undefined
  const found = childrenOf(childrenOf(extensions)[0]).find(
    (entry) => dottedOf(childrenOf(entry)[0]) === SUBJECT_KEY_IDENTIFIER
  )
  const value = found === undefined ? undefined : childrenOf(found).at(-1)
  return value === undefined ? undefined : childrenOf(value)[0]?.contents
}

const quoted = (texts: ReadonlyArray<string>): string => `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`

/**
 * Signs a certificate request in PEM: the certificate repeats its subject, its alternative names and its key, and has
 * the usages of the terms. Upstream: pkg/controller/certificates/authority, CertificateAuthority.Sign.
 */
export const signRequest = (
  authority: KeyAndCertificate,
  requestPem: string,
  { notAfterMs, notBeforeMs, usages }: SigningTerms
): string | CertificateRequestFault => {
  const request = readCertificateRequest(requestPem)
  if (request instanceof CertificateRequestFault) return request
  const { extended, keyUsage, unrecognized } = encodeUsages(usages)
  if (unrecognized.length > 0) return new CertificateRequestFault(`unrecognized usage values: ${quoted(unrecognized)}`)
  const issuer = new X509Certificate(authority.certificatePem).raw
  const issuerIdentifier = subjectKeyIdentifierOf(issuer)
  const subject = subjectOfRequest(request.subject)
  const names = alternativeNamesOfRequest(request.alternativeNames)
  const hasSubject = childrenOf(elementsOf(subject)[0]).length > 0
  const extensions = [
    ...(keyUsage === undefined ? [] : [extension("2.5.29.15", der.bitString(keyUsage.bytes, keyUsage.unused), true)]),
    ...(extended.length === 0 ? [] : [extension("2.5.29.37", der.sequence(...extended.map(der.objectIdentifier)))]),
    extension("2.5.29.19", der.sequence(), true),
    ...(issuerIdentifier === undefined
      ? []
      : [extension("2.5.29.35", der.sequence(der.implicit(0, issuerIdentifier)))]),
    ...(names === undefined ? [] : [extension("2.5.29.17", names, !hasSubject)])
  ]
  return signCertificate(
    { issuer: der.subjectOf(issuer), subject, key: request.publicKey, notBeforeMs, notAfterMs, extensions },
    createPrivateKey(authority.keyPem)
  )
}
