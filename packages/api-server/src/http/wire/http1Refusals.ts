/** The status lines of parser errors other than 400. */
const statusLines: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Request Entity Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout"
}

/** An error of Node's HTTP/1 parser. */
export interface ParserError {
  readonly code?: string | undefined
  /** The bytes that it refused. */
  readonly rawPacket?: Uint8Array
  /** How many of them it had accepted. */
  readonly bytesParsed?: number
}

/** Returns the whole response to a request that Node's parser refuses. */
export const parserRefusal = ({ code = "" }: ParserError): string => {
  const line = statusLines[code] ?? "400 Bad Request"
  return `HTTP/1.1 ${line}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${line}`
}

/** The part of an HTTP/1 request that `http1Refusal` checks. */
export interface Http1Head {
  readonly httpVersionMinor: number
  /** Names and values alternating, as received. */
  readonly rawHeaders: ReadonlyArray<string>
}

/** The refusal of an HTTP/1 request that Node's parser accepted and Go's server would refuse. */
export interface Http1Refusal {
  readonly code: 400 | 501
  readonly message: string
  readonly body: string
}

/** Upstream: golang.org/x/net/http/httpguts, ValidHostHeader. */
const HOST = /^[0-9A-Za-z!$%&()*+,\-.:;=['\]_~]*$/

const badRequest = (why: string): Http1Refusal => ({
  code: 400,
  message: `Bad Request: ${why}`,
  body: `400 Bad Request: ${why}`
})

/**
 * Returns the refusal for invalid framing or host: no Host header or two of them, which two servers could interpret as
 * different requests, or an unsupported transfer encoding. Upstream: Go's net/http, conn.readRequest and serve.
 */
export const http1Refusal = ({ httpVersionMinor, rawHeaders }: Http1Head): Http1Refusal | undefined => {
  let host: string | undefined
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    const value = rawHeaders[index + 1] as string
    if (name.length === 4 && name.toLowerCase() === "host") {
      if (host !== undefined) return badRequest("too many Host headers")
      host = value
    } else if (name.length === 17 && name.toLowerCase() === "transfer-encoding" && value.toLowerCase() !== "chunked") {
      return { code: 501, message: "Not Implemented", body: "Unsupported transfer encoding" }
    }
  }
  if (host === undefined) return httpVersionMinor >= 1 ? badRequest("missing required Host header") : undefined
  return HOST.test(host) ? undefined : badRequest("malformed Host header")
}
