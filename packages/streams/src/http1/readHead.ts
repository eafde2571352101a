import type { IncomingHttpHeaders } from "node:http"

/** The head of a request whose form is that of nearly all clients. */
export interface PlainHead {
  readonly method: string
  readonly url: string
  readonly fields: PlainFields
}

/** The header lines of a request, of which no two have the same name. */
export interface PlainFields {
  /** As received, without the request line. */
  readonly text: string
  /** By name in lower case. */
  readonly headers: IncomingHttpHeaders
  /** Names and values alternating, as received. */
  readonly rawHeaders: ReadonlyArray<string>
  readonly contentLength: number
}

/** Request line and header lines, without the empty line after them. */
const REQUEST_LINE = /^(?:GET|PUT|POST|PATCH|DELETE) \/[!-~]* HTTP\/1\.1$/
const LINE_END = "\r\n"
const HEADER_LINE = /^[\w!#$%&'*+\-.^`|~]+:[\t -~]*$/
const LENGTH = /^\d{1,8}$/
const VERSION_LENGTH = " HTTP/1.1".length
const MAX_HEADERS = 100

/** Headers by which a client asks for more than an answer, or sends its body in another way. */
const extraordinary: ReadonlySet<string> = new Set(["expect", "te", "trailer", "transfer-encoding", "upgrade"])

/** Returns the fields of header lines; undefined if one has another form. */
export const readFields = (text: string): PlainFields | undefined => {
  const headers: Record<string, string> = Object.create(null)
  const rawHeaders: Array<string> = []
  for (const line of text.split(LINE_END)) {
    if (!HEADER_LINE.test(line) || rawHeaders.length === 2 * MAX_HEADERS) return undefined
    const colon = line.indexOf(":")
    const name = line.slice(0, colon)
    const value = line.slice(colon + 1).trim()
    const key = name.toLowerCase()
    if (key in headers || extraordinary.has(key)) return undefined
    headers[key] = value
    rawHeaders.push(name, value)
  }
  const { connection = "keep-alive", host, "content-length": length = "0" } = headers
  if (host === undefined || connection.toLowerCase() !== "keep-alive" || !LENGTH.test(length)) return undefined
  return { text, headers, rawHeaders, contentLength: Number(length) }
}

/**
 * Reads the text of a head; returns undefined if any part of it has another form. `known` are the fields of an earlier
 * request of the connection: clients repeat them.
 */
export const readHead = (text: string, known: PlainFields | undefined): PlainHead | undefined => {
  const lineEnd = text.indexOf(LINE_END)
  if (lineEnd < 0) return undefined
  const line = text.slice(0, lineEnd)
  if (!REQUEST_LINE.test(line)) return undefined
  const space = line.indexOf(" ")
  const rest = text.slice(lineEnd + LINE_END.length)
  const fields = known?.text === rest ? known : readFields(rest)
  if (fields === undefined) return undefined
  return { method: line.slice(0, space), url: line.slice(space + 1, -VERSION_LENGTH), fields }
}
