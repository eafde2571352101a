import { X509Certificate } from "node:crypto"
import type { TLSSocket } from "node:tls"
import { formatTime } from "@rollcall/api"
import { connectionOf } from "./Connections.ts"
import type { HttpRequest } from "./HttpPort.ts"

const STALE = "x509: certificate has expired or is not yet valid: current time"

/** Why a certificate does not count, by TLS' verdict on it. */
const verdict = (code: string, { validFromDate, validToDate }: X509Certificate, nowMs: number): string => {
  const now = formatTime(nowMs)
  if (code === "CERT_HAS_EXPIRED") return `${STALE} ${now} is after ${formatTime(validToDate.getTime())}`
  if (code === "CERT_NOT_YET_VALID") return `${STALE} ${now} is before ${formatTime(validFromDate.getTime())}`
  return "x509: certificate signed by unknown authority"
}

/**
 * Why the certificate that a client presented is not good, as kube-apiserver logs it; the client hears only `Unauthorized`.
 * Upstream: apiserver/pkg/authentication/request/x509/x509.go.
 */
export const certificateProblem = (request: HttpRequest, nowMs: number): string => {
  const connection = connectionOf(request)
  const known = problems.get(connection)
  if (known !== undefined) return known
  const problem = problemOf(request.socket as TLSSocket, nowMs)
  problems.set(connection, problem)
  return problem
}

/** Looked into once for a connection. */
const problems = new WeakMap<object, string>()

/** Object identifiers of the extensions; what follows has headers of DER, all of them short. RFC 5280, 4.2.1.1 and 4.2.1.2. */
const subjectKeyId = Buffer.from([0x55, 0x1d, 0x0e])
const authorityKeyId = Buffer.from([0x55, 0x1d, 0x23])
const OCTETS = 0x04
const KEY_IDENTIFIER = 0x80

const keyIdentifier = (raw: Buffer, extension: Buffer, tag: number, headers: number): string => {
  const found = raw.indexOf(extension)
  const at = found + extension.length + headers
  const length = raw[at + 1]
  if (found < 0 || raw[at] !== tag || length === undefined) return ""
  const bytes = raw.subarray(at + 2, at + 2 + length)
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(":")
}

const identifierOf = ({ raw, serialNumber }: X509Certificate): string => {
  const subject = keyIdentifier(raw, subjectKeyId, OCTETS, 2)
  const authority = keyIdentifier(raw, authorityKeyId, KEY_IDENTIFIER, 4)
  return `SN=${BigInt(`0x${serialNumber}`)}, SKID=${subject}, AKID=${authority}`
}

const problemOf = (socket: TLSSocket, nowMs: number): string => {
  const presented = new X509Certificate(socket.getPeerCertificate().raw)
  // Node has the code here as a text, whatever its types say.
  const code = String(socket.authorizationError ?? "")
  return `verifying certificate ${identifierOf(presented)} failed: ${verdict(code, presented, nowMs)}`
}
