import { goQuote } from "@rollcall/api"

/** The error of a connection, as Node has it. */
interface Fault {
  readonly code?: string
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
  readonly message: string
  readonly cert?: { readonly subjectaltname?: string; readonly valid_to?: string }
  readonly host?: string
  /** What could not be parsed. */
  readonly rawPacket?: Uint8Array
  /** The errors of the addresses of a name. */
  readonly errors?: ReadonlyArray<Fault>
}

const unknownAuthority = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
])

/** Whether OpenSSL found no authority that it trusts. */
export const isUnknownAuthority = (code: string): boolean => unknownAuthority.has(code)

const x509 = (what: string): string => `tls: failed to verify certificate: x509: ${what}`

const withPort = (address: string, port: number | undefined): string =>
  `${address.includes(":") ? `[${address}]` : address}:${port ?? 443}`

/** Returns the names or the addresses that a certificate is valid for, as Go lists them. */
const namesOf = (text: string, kind: string): string =>
  text
    .split(", ")
    .filter((name) => name.startsWith(kind))
    .map((name) => name.slice(kind.length))
    .join(", ")

/** Upstream: Go's crypto/x509, HostnameError. */
const hostFault = (names: string, host: string): string => {
  const isAddress = /^[\d.]+$|:/.test(host)
  const valid = namesOf(names, isAddress ? "IP Address:" : "DNS:")
  if (valid !== "") return `certificate is valid for ${valid}, not ${host}`
  return isAddress
    ? `cannot validate certificate for ${host} because it doesn't contain any IP SANs`
    : `certificate is not valid for any names, but wanted to match ${host}`
}

/** The alerts that Go names otherwise. Upstream: Go's crypto/tls, alert.go. */
const alerts: Readonly<Record<string, string>> = {
  "certificate unknown": "unknown certificate",
  "certificate revoked": "revoked certificate",
  "certificate expired": "expired certificate",
  "unknown ca": "unknown certificate authority",
  "protocol version": "protocol version not supported"
}

const ALERT = /^ERR_SSL_(?:SSLV3|TLSV1|TLSV13)_ALERT_(.+)$/
/** What OpenSSL says of an answer that is not of TLS, such as plain HTTP. */
const NOT_TLS = /wrong.version.number|packet.length.too.long/i
/** What Node says of a connection that the other side has closed, before or after its TLS handshake. */
const CLOSED = /socket hang up|before secure TLS connection/
/** The largest part of an answer that an error quotes. */
const MAX_QUOTED = 256

/** Upstream: Go's net/http, ReadResponse and persistConn.mapRoundTripError. */
const malformed = (packet: Uint8Array): string => {
  const [line = ""] = new TextDecoder("latin1").decode(packet.subarray(0, MAX_QUOTED)).split(/\r?\n/, 1)
  return `net/http: HTTP/1.x transport connection broken: malformed HTTP response ${goQuote(line)}`
}

/** Returns a connection's error in Go's words, which are those of upstream's messages. */
export const goErrorText = (fault: Fault): string => {
  const { address = "", cert, code = "", errors, host = "", hostname = "", message, port, rawPacket } = fault
  const [first] = errors ?? []
  if (first !== undefined) return goErrorText(first)
  const [, alert] = ALERT.exec(code) ?? []
  if (alert !== undefined) {
    const name = alert.toLowerCase().replaceAll("_", " ")
    return `remote error: tls: ${alerts[name] ?? name}`
  }
  if (code === "HPE_HEADER_OVERFLOW") return "net/http: server response headers exceeded the limit; aborted"
  if (code.startsWith("HPE_")) return malformed(rawPacket ?? new Uint8Array())
  if (isUnknownAuthority(code)) return x509("certificate signed by unknown authority")
  switch (code) {
    case "ECONNREFUSED":
      return `dial tcp ${withPort(address, port)}: connect: connection refused`
    case "EHOSTUNREACH":
      return `dial tcp ${withPort(address, port)}: connect: no route to host`
    case "ENETUNREACH":
      return `dial tcp ${withPort(address, port)}: connect: network is unreachable`
    case "ETIMEDOUT":
      return address === "" ? "i/o timeout" : `dial tcp ${withPort(address, port)}: connect: connection timed out`
    case "EPIPE":
      return "write: broken pipe"
    case "EPROTO":
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
      return NOT_TLS.test(`${code} ${message}`) ? "tls: first record does not look like a TLS handshake" : message
    case "ENOTFOUND":
      return `dial tcp: lookup ${hostname}: no such host`
    case "ECONNRESET":
      return CLOSED.test(message) ? "EOF" : "read: connection reset by peer"
    case "CERT_HAS_EXPIRED":
    case "CERT_NOT_YET_VALID":
      return x509("certificate has expired or is not yet valid")
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return x509(hostFault(cert?.subjectaltname ?? "", host))
  }
  return message
}
