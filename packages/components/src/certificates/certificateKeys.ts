import { createHmac, X509Certificate } from "node:crypto"
import { CertificateRequestFault, type KeyAndCertificate, readCertificateRequest, signRequest } from "@rollcall/pki"
import type { CertificateKeys, RequestNames, SigningAuthority, SigningTerms } from "@rollcall/workloads"
import * as Result from "effect/Result"

const textOf = (base64: string): string => Buffer.from(base64, "base64").toString("latin1")

const resultOf = <A>(answer: A | CertificateRequestFault): Result.Result<A, string> =>
  answer instanceof CertificateRequestFault ? Result.fail(answer.message) : Result.succeed(answer)

const endOfPem = (pem: string): number | undefined => {
  try {
    return new X509Certificate(pem).validToDate.getTime()
  } catch {
    return undefined
  }
}

/** Reads certificates and requests of the API, which are PEM in base64. */
export const certificateReaders: Pick<CertificateKeys, "read" | "endOf"> = {
  read: (request) => resultOf<RequestNames>(readCertificateRequest(textOf(request))),
  endOf: (certificate) => endOfPem(textOf(certificate))
}

type Sign = (requestPem: string, terms: SigningTerms) => string | CertificateRequestFault

/** How long before now a certificate starts. */
const BACKDATE_MS = 300_000

/**
 * Signs certificates that have started by the clock of the machine, by which TLS judges them: that of the cluster may be
 * ahead of it.
 */
export const startedByWallClock =
  (sign: Sign, wallClockMs: () => number): Sign =>
  (requestPem, terms) =>
    sign(requestPem, { ...terms, notBeforeMs: Math.min(terms.notBeforeMs, wallClockMs() - BACKDATE_MS) })

/** Returns an authority with this certificate, whose key signs by `sign`. */
export const signingAuthority = (certificatePem: string, sign: Sign): SigningAuthority => ({
  notAfterMs: endOfPem(certificatePem) ?? 0,
  sign: (request, terms) =>
    Result.map(resultOf(sign(textOf(request), terms)), (pem) => Buffer.from(pem, "latin1").toString("base64"))
})

/** Returns the authority of a certificate and its key. */
export const authorityOfPair = (pair: KeyAndCertificate): SigningAuthority =>
  signingAuthority(pair.certificatePem, (request, terms) => signRequest(pair, request, terms))

const encoded = (bytes: string | Buffer): string => Buffer.from(bytes).toString("base64url")

/**
 * Signs a content with a bootstrap token: a JSON Web Signature (HS256) without the content. Upstream:
 * cluster-bootstrap/token/jws/jws.go, ComputeDetachedSignature.
 */
export const signDetached = (content: string, tokenId: string, tokenSecret: string): string => {
  const header = encoded(JSON.stringify({ alg: "HS256", kid: tokenId }))
  const signature = createHmac("sha256", tokenSecret)
    .update(`${header}.${encoded(content)}`)
    .digest("base64url")
  return `${header}..${signature}`
}
