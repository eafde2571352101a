import { issue, type KeyAndCertificate, makeAuthority, makeKeyPem } from "./Certificate.ts"

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS

/**
 * Makes a certificate of a server, from an authority that signs nothing else: clients cannot verify it, and it needs no
 * files. The authority follows it in the chain. Upstream: client-go/util/cert, GenerateSelfSignedCertKey.
 */
export const selfSigned = (names: ReadonlyArray<string>, nowMs: number): KeyAndCertificate => {
  const seconds = Math.floor(nowMs / 1000)
  const validity = { notBeforeMs: nowMs - HOUR_MS, notAfterMs: nowMs + YEAR_MS }
  const subject = { commonName: `localhost-ca@${seconds}` }
  const authority = makeAuthority(subject, makeKeyPem(), validity.notBeforeMs, validity.notAfterMs)
  const { certificatePem, keyPem } = issue(authority, {
    subject: { commonName: `localhost@${seconds}` },
    usage: "server",
    names: [...new Set(["localhost", "127.0.0.1", ...names])],
    ...validity
  })
  return { keyPem, certificatePem: certificatePem + authority.certificatePem }
}
