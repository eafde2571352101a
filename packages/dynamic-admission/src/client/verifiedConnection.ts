import { X509Certificate } from "node:crypto"
import { type AgentOptions, Agent as HttpsAgent, type RequestOptions } from "node:https"
import type { Duplex } from "node:stream"
import { type ConnectionOptions, checkServerIdentity, connect, type TLSSocket } from "node:tls"
import { isUnknownAuthority } from "./goErrors.ts"

const certificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

const isValidAt = ({ validFromDate, validToDate }: X509Certificate, nowMs: number): boolean =>
  validFromDate.getTime() <= nowMs && nowMs <= validToDate.getTime()

/**
 * Whether an authority of a bundle signed a certificate, by the names and the signature. OpenSSL takes a certificate for
 * self-signed if its subject is its issuer, and so one of an authority without a name that has no name itself; Go does
 * not. Upstream: Go's crypto/x509, Certificate.Verify.
 */
const isSignedBy = (bundle: string, certificate: X509Certificate, nowMs: number): boolean =>
  (bundle.match(certificates) ?? []).some((pem) => {
    const authority = new X509Certificate(pem)
    return (
      authority.ca &&
      certificate.checkIssued(authority) &&
      certificate.verify(authority.publicKey) &&
      isValidAt(authority, nowMs)
    )
  })

export interface Verification {
  /** The authorities, as PEM. */
  readonly bundle: string
  readonly now: () => number
}

/**
 * Returns why a server's certificate is refused, in the order in which Go looks: its dates, its names, its authority.
 * OpenSSL has judged the dates of a certificate whose authority it knows.
 */
const serverFault = (socket: TLSSocket, name: string, { bundle, now }: Verification): Error | undefined => {
  const code = socket.authorized ? "" : String(socket.authorizationError)
  const certificate = socket.getPeerX509Certificate()
  const fault = (what: string) => Object.assign(new Error(what), { code: what })
  if (certificate === undefined) return fault(code)
  if (isUnknownAuthority(code) && !isValidAt(certificate, now())) return fault("CERT_HAS_EXPIRED")
  const misnamed = checkServerIdentity(name, certificate.toLegacyObject())
  if (misnamed !== undefined) return misnamed
  const isTrusted = socket.authorized || (isUnknownAuthority(code) && isSignedBy(bundle, certificate, now()))
  return isTrusted ? undefined : fault(code)
}

/**
 * Connects by TLS. A server whose certificate is refused is sent nothing: the connection ends at the end of the
 * handshake, where Node itself would end it.
 */
export const verifiedConnection = (options: ConnectionOptions, verification: Verification): TLSSocket => {
  const socket = connect({ ...options, ca: verification.bundle, rejectUnauthorized: false })
  socket.once("secureConnect", () => {
    const fault = serverFault(socket, options.servername || options.host || "localhost", verification)
    if (fault !== undefined) socket.destroy(fault)
  })
  return socket
}

/** An agent whose connections are verified as Go verifies them. */
export class VerifyingAgent extends HttpsAgent {
  private readonly verification: Verification

  constructor(options: AgentOptions, verification: Verification) {
    // A resumed session says nothing of the certificate.
    super({ ...options, maxCachedSessions: 0 })
    this.verification = verification
  }

  override createConnection(options: RequestOptions): Duplex {
    return verifiedConnection(options as ConnectionOptions, this.verification)
  }
}
