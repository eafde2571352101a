import { formatTime } from "@rollcall/api"

/** The target of a connection, and the local time, by which certificates are judged. */
export interface ConnectionTarget {
  readonly host: string
  readonly port: string | number
  /** The name that the server's certificate must be valid for, when it differs from the host. */
  readonly serverName?: string
  readonly nowMs: number
}

const UNTRUSTED = "tls: failed to verify certificate: x509: certificate signed by unknown authority"
const OUT_OF_DATE = "tls: failed to verify certificate: x509: certificate has expired or is not yet valid"

const untrustedCodes = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_SIGNATURE_FAILURE"
])

const dialErrors: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connect: connection refused",
  EHOSTUNREACH: "connect: no route to host",
  ENETUNREACH: "connect: network is unreachable",
  ETIMEDOUT: "i/o timeout"
}

/** The server's TLS alerts about the client's certificate or its TLS version. */
const tlsAlerts: Readonly<Record<string, string>> = {
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: "remote error: tls: unknown certificate authority",
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: "remote error: tls: bad certificate",
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: "remote error: tls: expired certificate",
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: "remote error: tls: certificate required",
  ERR_SSL_WRONG_VERSION_NUMBER: "http: server gave HTTP response to HTTPS client",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "http: server gave HTTP response to HTTPS client"
}

/** Turns `DNS:localhost, IP Address:127.0.0.1` into `localhost, 127.0.0.1`. */
const certificateNames = (cert: unknown): string =>
  String((cert as { readonly subjectaltname?: unknown } | undefined)?.subjectaltname ?? "")
    .split(", ")
    .map((name) => name.replace(/^[^:]*:/, ""))
    .join(", ")

/**
 * Translates a connection error of Node to the message of Go's net and crypto packages, which users search for and
 * Kubernetes' clients print. An error without a Go equivalent keeps its text.
 */
export const connectionErrorText = (
  error: unknown,
  { host, nowMs, port, serverName = host }: ConnectionTarget
): string => {
  if (!(error instanceof Error)) return String(error)
  const { cert, code = "" } = error as Error & { readonly code?: string; readonly cert?: unknown }
  const dial = dialErrors[code]
  if (dial !== undefined) return `dial tcp ${host.includes(":") ? `[${host}]` : host}:${port}: ${dial}`
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `dial tcp: lookup ${host}: no such host`
  if (untrustedCodes.has(code)) return UNTRUSTED
  if (code === "CERT_NOT_YET_VALID") {
    return `${OUT_OF_DATE}: current time ${formatTime(nowMs)} is before the certificate's notBefore`
  }
  if (code === "CERT_HAS_EXPIRED") {
    return `${OUT_OF_DATE}: current time ${formatTime(nowMs)} is after the certificate's notAfter`
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return `tls: failed to verify certificate: x509: certificate is valid for ${certificateNames(cert)}, not ${serverName}`
  }
  return tlsAlerts[code] ?? error.message
}
