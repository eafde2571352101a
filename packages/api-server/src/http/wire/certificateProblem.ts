import { X509Certificate } from "node:crypto"
import type { TLSSocket } from "node:tls"
import { formatTime } from "@rollcall/api"
import { connectionOf } from "./Connections.ts"
import type { HttpRequest } from "./HttpPort.ts"

const OUTSIDE_VALIDITY = "x509: certificate has expired or is not yet valid: current time"

/** Returns Go's error for an invalid certificate, from the error code of Node's TLS. */
const goError = (code: string, { validFromDate, validToDate }: X509Certificate, nowMs: number): string => {
  const now = formatTime(nowMs)
  if (code === "CERT_HAS_EXPIRED") return `${OUTSIDE_VALIDITY} ${now} is after ${formatTime(validToDate.getTime())}`
  if (code === "CERT_NOT_YET_VALID")
    return `${OUTSIDE_VALIDITY} ${now} is before ${formatTime(validFromDate.getTime())}`
  return "x509: certificate signed by unknown authority"
}

/**
 * Returns why the presented client certificate is invalid, as kube-apiserver logs it; the client only receives
 * `Unauthorized`. Upstream: apiserver/pkg/authentication/request/x509/x509.go.
 */
export const certificateProblem = (request: HttpRequest, nowMs: number): string => {
  const connection = connectionOf(request)
  const known = problems.get(connection)
  if (known !== undefined) return known
  const problem = problemOf(request.socket as TLSSocket, nowMs)
  problems.set(connection, problem)
  return problem
}

/** The results by connection: a client sends many requests on one. */
const problems = new WeakMap<object, string>()

/** The DER of the extensions' object identifiers, 2.5.29.14 and 2.5.29.35. RFC 5280, 4.2.1.1 and 4.2.1.2. */
const subjectKeyId = Buffer.from([0x55, 0x1d, 0x0e])
const authorityKeyId = Buffer.from([0x55, 0x1d, 0x23])
/** The DER tags of the key identifiers: an octet string, and the first optional field of a sequence. */
const OCTET_STRING = 0x04
const KEY_IDENTIFIER = 0x80

/**
 * Returns the key identifier in an extension as `AB:CD:…`; empty if the certificate lacks it. `headers` is the number
 * of bytes of enclosing DER headers between the object identifier and the key identifier's tag.
 */
const keyIdentifier = (raw: Buffer, extension: Buffer, tag: number, headers: number): string => {
  const found = raw.indexOf(extension)
  const at = found + extension.length + headers
  const length = raw[at + 1]
  if (found < 0 || raw[at] !== tag || length === undefined) return ""
  const bytes = raw.subarray(at + 2, at + 2 + length)
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(":")
}

const identifierOf = ({ raw, serialNumber }: X509Certificate): string => {
  const subject = keyIdentifier(raw, subjectKeyId, OCTET_STRING, 2)
  const authority = keyIdentifier(raw, authorityKeyId, KEY_IDENTIFIER, 4)
  return `SN=${BigInt(`0x${serialNumber}`)}, SKID=${subject}, AKID=${authority}`
}

const problemOf = (socket: TLSSocket, nowMs: number): string => {
  const presented = new X509Certificate(socket.getPeerCertificate().raw)
  // Node sets the code as a string here, contrary to its types.
  const code = String(socket.authorizationError ?? "")
  return `verifying certificate ${identifierOf(presented)} failed: ${goError(code, presented, nowMs)}`
}
