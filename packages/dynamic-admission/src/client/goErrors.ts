/** The error of a connection, as Node has it. */
interface Fault {
  readonly code?: string
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
  readonly message: string
  readonly cert?: { readonly subjectaltname?: string; readonly valid_to?: string }
  readonly host?: string
}

const unknownAuthority = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
])

const x509 = (what: string): string => `tls: failed to verify certificate: x509: ${what}`

const withPort = (address: string, port: number | undefined): string =>
  `${address.includes(":") ? `[${address}]` : address}:${port ?? 443}`

/** Returns the names that a certificate is valid for, as Go lists them. */
const namesOf = (text: string): string =>
  text
    .split(", ")
    .map((name) => name.replace(/^(?:DNS|IP Address):/, ""))
    .join(", ")

/** Returns a connection's error in Go's words, which are those of upstream's messages. */
export const goErrorText = (fault: Fault): string => {
  const { address = "", cert, code = "", host = "", hostname = "", message, port } = fault
  if (unknownAuthority.has(code)) return x509("certificate signed by unknown authority")
  switch (code) {
    case "ECONNREFUSED":
      return `dial tcp ${withPort(address, port)}: connect: connection refused`
    case "EHOSTUNREACH":
      return `dial tcp ${withPort(address, port)}: connect: no route to host`
    case "ENETUNREACH":
      return `dial tcp ${withPort(address, port)}: connect: network is unreachable`
    case "ENOTFOUND":
      return `dial tcp: lookup ${hostname}: no such host`
    case "ECONNRESET":
      return message.includes("socket hang up") ? "EOF" : "read: connection reset by peer"
    case "CERT_HAS_EXPIRED":
    case "CERT_NOT_YET_VALID":
      return x509("certificate has expired or is not yet valid")
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return x509(`certificate is valid for ${namesOf(cert?.subjectaltname ?? "")}, not ${host}`)
  }
  return message
}
