/** What of a request of HTTP/1 is looked at before anything else. */
export interface Http1Head {
  readonly httpVersionMinor: number
  /** Names and values in turn, as they came. */
  readonly rawHeaders: ReadonlyArray<string>
}

/** How Go's server refuses a request of HTTP/1 that its parser has let through. */
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
 * What is wrong with the framing or the address of a request: no Host or two of them, by which two servers could take it for two
 * different requests, or an encoding of the body that is not read. Upstream: Go's net/http, conn.readRequest and serve.
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

/** Path and query of a request line, which may name the server too: `GET http://host/path HTTP/1.1`. */
export const originForm = (url: string): string => {
  if (url.startsWith("/")) return url
  const [, rest] = /^https?:\/\/[^/?#]*([\s\S]*)$/i.exec(url) ?? []
  if (rest === undefined) return url
  return rest.startsWith("/") ? rest : `/${rest}`
}
