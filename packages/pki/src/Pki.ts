import { createPrivateKey, X509Certificate } from "node:crypto"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import {
  addressOf,
  issue,
  type KeyAndCertificate,
  makeAuthority,
  makeKeyPem,
  publicKeyPem,
  type Subject
} from "./Certificate.ts"
import type { CertificateRequestFault } from "./CertificateRequest.ts"
import { makeOwnFolder, readOwn, syncFolder, writeOwn } from "./files.ts"
import { PkiError } from "./PkiError.ts"
import { type SigningTerms, signRequest } from "./signRequest.ts"

const DAY_MS = 86_400_000
const AUTHORITY_VALIDITY_MS = 3650 * DAY_MS
const LEAF_VALIDITY_MS = 365 * DAY_MS
/** A certificate that expires sooner than this is replaced. */
const RENEW_BEFORE_MS = 30 * DAY_MS
/** Certificates start this much in the past, because clients' clocks may be slightly slow. */
const BACKDATE_MS = 5 * 60_000
/**
 * A CA that was made while the clock was wrong must stay valid when the clock is corrected: clients keep its
 * certificate, so it cannot be made again. Its validity therefore starts as far in the past as it extends into the
 * future.
 */
const AUTHORITY_BACKDATE_MS = AUTHORITY_VALIDITY_MS

/** The names that every Kubernetes API server serves. Upstream: kubeadm's apiserver certificate. */
export const serverNames: ReadonlyArray<string> = [
  "localhost",
  "127.0.0.1",
  "::1",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
  "10.96.0.1"
]

export interface PkiOptions {
  /** Created with mode 0700 when it does not exist. The files in it have kubeadm's names. */
  readonly folder: string
  /** Milliseconds since the epoch. */
  readonly nowMs: number
  /**
   * DNS names and addresses of the server in addition to `serverNames`: its hostname, and the value of
   * `--bind-address`.
   */
  readonly names?: ReadonlyArray<string>
}

/** The key pair that signs service account tokens: ES256. */
export interface SigningKey {
  readonly privateKeyPem: string
  readonly publicKeyPem: string
}

export interface Pki {
  /** The CA certificate: clients trust it, and client certificates are verified with it. */
  readonly authorityPem: string
  /** Signs a certificate request in PEM with the CA, or says what is wrong with it. */
  readonly signRequest: (requestPem: string, terms: SigningTerms) => string | CertificateRequestFault
  readonly server: KeyAndCertificate
  /** The CA of the proxies whose headers say who asks: `front-proxy-client` has a certificate of it. */
  readonly frontProxyAuthorityPem: string
  /** The certificate of `front-proxy-client`, by which the API server is a proxy of aggregated ones. */
  readonly frontProxyClient: KeyAndCertificate
  readonly serviceAccountKey: SigningKey
  /**
   * Issues a certificate for a new key. It starts at `nowMs`, and ends a year after that or after `laterMs` if given. It is
   * not stored.
   */
  readonly clientCertificate: (subject: Subject, nowMs: number, laterMs?: number) => KeyAndCertificate
  /** Whether a certificate is issued by this CA for this subject, fits its key, is valid and does not expire soon. */
  readonly isCurrent: (pair: KeyAndCertificate, subject: Subject, nowMs: number) => boolean
}

/**
 * Reads the folder's CA, server certificate and signing key, and makes those that are missing or expire soon. A second
 * call returns the same files, so a long-running server calls it once a day and serves the result. A file that is
 * damaged, or that was not issued by the folder's CA, is never overwritten: the call fails, and the error names the
 * file and the remedy.
 */
export const openPki = ({ folder, names = [], nowMs }: PkiOptions): Effect.Effect<Pki, PkiError> =>
  Effect.try({
    try: () => {
      makeOwnFolder(folder)
      const authority = openAuthority(folder, "ca", "rollcall-ca", nowMs)
      const server = openLeaf(folder, authority, serverTerms(names), nowMs)
      const frontProxyAuthority = openAuthority(folder, "front-proxy-ca", "front-proxy-ca", nowMs)
      const frontProxyClient = openLeaf(folder, frontProxyAuthority, frontProxyTerms, nowMs)
      const serviceAccountKey = openSigningKey(folder)
      syncFolder(folder)
      return {
        authorityPem: authority.certificatePem,
        signRequest: (requestPem, terms) => signRequest(authority, requestPem, terms),
        server,
        frontProxyAuthorityPem: frontProxyAuthority.certificatePem,
        frontProxyClient,
        serviceAccountKey,
        clientCertificate: (subject, now, later = now) =>
          issue(authority, { subject, usage: "client", ...validity(now, later - now + LEAF_VALIDITY_MS) }),
        isCurrent: (pair, subject, now) => isCurrentClient(authority, pair, subject, now)
      } satisfies Pki
    },
    catch: (cause) => (cause instanceof PkiError ? cause : new PkiError({ file: folder, message: String(cause) }))
  })

const validity = (nowMs: number, forMs: number) => ({ notBeforeMs: nowMs - BACKDATE_MS, notAfterMs: nowMs + forMs })

/**
 * Whether the certificate is valid now and for long enough. Its start is checked too: after a clock is set back, a
 * certificate starts in the future.
 */
const isValidForLong = ({ validFromDate, validToDate }: X509Certificate, nowMs: number): boolean =>
  validFromDate.getTime() <= nowMs && validToDate.getTime() - nowMs > RENEW_BEFORE_MS

const subjectText = ({ commonName, organizations = [] }: Subject): string =>
  [...organizations.map((name) => `O=${name}`), `CN=${commonName}`].join("\n")

const isCurrentClient = (
  authority: KeyAndCertificate,
  { certificatePem, keyPem }: KeyAndCertificate,
  subject: Subject,
  nowMs: number
): boolean => {
  try {
    const certificate = new X509Certificate(certificatePem)
    return (
      certificate.subject === subjectText(subject) &&
      isValidForLong(certificate, nowMs) &&
      certificate.verify(new X509Certificate(authority.certificatePem).publicKey) &&
      certificate.checkPrivateKey(createPrivateKey(keyPem))
    )
  } catch {
    // A file that is not a certificate or not a key does not belong to this CA.
    return false
  }
}

const failWith = (file: string, why: string, remedy: string): never => {
  throw new PkiError({ file, message: `${file} ${why}; ${remedy}` })
}

const openAuthority = (folder: string, base: string, commonName: string, nowMs: number): KeyAndCertificate => {
  const certificateFile = join(folder, `${base}.crt`)
  const keyFile = join(folder, `${base}.key`)
  const renewalRemedy = `move ${certificateFile} and ${keyFile} away to have a new authority made, which no client trusts yet`
  const certificatePem = readOwn(certificateFile)
  const keyPem = readOwn(keyFile)
  if (certificatePem === undefined) {
    // The key is written first: a key without a certificate is left by an interrupted first start.
    const created = makeAuthority(
      { commonName },
      keyPem === undefined ? makeKeyPem() : checkKey(keyFile, keyPem, renewalRemedy),
      nowMs - AUTHORITY_BACKDATE_MS,
      nowMs + AUTHORITY_VALIDITY_MS
    )
    if (keyPem === undefined) writeOwn(keyFile, created.keyPem)
    writeOwn(certificateFile, created.certificatePem)
    return created
  }
  if (keyPem === undefined)
    return failWith(certificateFile, `has no key: ${keyFile} is missing`, `bring it back, or ${renewalRemedy}`)
  const certificate = parseCertificate(certificateFile, certificatePem, renewalRemedy)
  checkKey(keyFile, keyPem, renewalRemedy)
  if (!certificate.ca) return failWith(certificateFile, "is not the certificate of an authority", renewalRemedy)
  if (!certificate.checkPrivateKey(createPrivateKey(keyPem)))
    return failWith(keyFile, `is not the key of ${certificateFile}`, renewalRemedy)
  if (certificate.validToDate.getTime() < nowMs)
    return failWith(certificateFile, `ended on ${certificate.validTo}`, renewalRemedy)
  if (certificate.validFromDate.getTime() > nowMs) {
    return failWith(
      certificateFile,
      `begins on ${certificate.validFrom}`,
      `set the clock of this machine, or ${renewalRemedy}`
    )
  }
  return { certificatePem, keyPem }
}

/** A certificate in the folder: its files, the files of its CA, and what it is for. */
interface LeafTerms {
  readonly base: string
  readonly issuer: string
  readonly commonName: string
  readonly usage: "server" | "client"
  readonly names: ReadonlyArray<string>
}

const serverTerms = (names: ReadonlyArray<string>): LeafTerms => ({
  base: "apiserver",
  issuer: "ca",
  commonName: "kube-apiserver",
  usage: "server",
  names: [...new Set([...serverNames, ...names])]
})

/** Upstream: kubeadm's certificate of the front proxy. */
const frontProxyTerms: LeafTerms = {
  base: "front-proxy-client",
  issuer: "front-proxy-ca",
  commonName: "front-proxy-client",
  usage: "client",
  names: []
}

const openLeaf = (
  folder: string,
  authority: KeyAndCertificate,
  { base, commonName, issuer, names, usage }: LeafTerms,
  nowMs: number
): KeyAndCertificate => {
  const certificateFile = join(folder, `${base}.crt`)
  const keyFile = join(folder, `${base}.key`)
  const renewalRemedy = `move ${certificateFile} and ${keyFile} away to have new ones made`
  const certificatePem = readOwn(certificateFile)
  const keyPem = readOwn(keyFile)
  if (certificatePem !== undefined && keyPem !== undefined) {
    const certificate = parseCertificate(certificateFile, certificatePem, renewalRemedy)
    const key = checkKey(keyFile, keyPem, renewalRemedy)
    if (!certificate.verify(new X509Certificate(authority.certificatePem).publicKey)) {
      return failWith(certificateFile, `was not issued by ${join(folder, `${issuer}.crt`)}`, renewalRemedy)
    }
    // A key that fits another certificate is left by a renewal that was interrupted between the two writes.
    const isKeyOfCertificate = certificate.checkPrivateKey(createPrivateKey(key))
    if (isKeyOfCertificate && isValidForLong(certificate, nowMs) && names.every((name) => isForName(certificate, name)))
      return { certificatePem, keyPem }
  }
  const created = issue(authority, { subject: { commonName }, usage, names, ...validity(nowMs, LEAF_VALIDITY_MS) })
  writeOwn(keyFile, created.keyPem)
  writeOwn(certificateFile, created.certificatePem)
  return created
}

const isForName = (certificate: X509Certificate, name: string): boolean =>
  (addressOf(name) === undefined ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined

const openSigningKey = (folder: string): SigningKey => {
  const file = join(folder, "sa.key")
  const renewalRemedy = "move it away to have a new one made, which makes every service account token invalid"
  const stored = readOwn(file)
  const privateKeyPem = stored === undefined ? makeKeyPem() : checkKey(file, stored, renewalRemedy)
  if (stored === undefined) writeOwn(file, privateKeyPem)
  const publicPem = publicKeyPem(privateKeyPem)
  const publicFile = join(folder, "sa.pub")
  if (readOwn(publicFile) !== publicPem) writeOwn(publicFile, publicPem)
  return { privateKeyPem, publicKeyPem: publicPem }
}

const parseCertificate = (file: string, pem: string, renewalRemedy: string): X509Certificate => {
  try {
    return new X509Certificate(pem)
  } catch {
    return failWith(file, "is not a certificate", renewalRemedy)
  }
}

/** Returns the PEM text when it is a P-256 private key, the kind that this package makes; throws PkiError otherwise. */
const checkKey = (file: string, pem: string, renewalRemedy: string): string => {
  let curve: string | undefined
  try {
    curve = createPrivateKey(pem).asymmetricKeyDetails?.namedCurve
  } catch {
    return failWith(file, "is not a private key", renewalRemedy)
  }
  return curve === "prime256v1" ? pem : failWith(file, "is not a P-256 key", renewalRemedy)
}
