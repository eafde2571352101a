import { X509Certificate } from "node:crypto"
import type { TLSSocket } from "node:tls"
import { formatTime } from "@rollcall/api"
import type { HttpRequest } from "./HttpPort.ts"
import { connectionOf } from "./Unsent.ts"

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

const problemOf = (socket: TLSSocket, nowMs: number): string => {
  const { raw } = socket.getPeerCertificate()
  // Node has the code here as a text, whatever its types say.
  const code = String(socket.authorizationError ?? "")
  const presented = new X509Certificate(raw)
  const name = JSON.stringify(presented.subject.replaceAll("\n", ","))
  return `verifying certificate SN=${BigInt(`0x${presented.serialNumber}`)} of ${name} failed: ${verdict(code, presented, nowMs)}`
}
