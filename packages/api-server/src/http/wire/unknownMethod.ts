import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { ParserError } from "./http1Refusals.ts"
import { nodeHttp } from "./nodeHttp.ts"

/*
 * Requests of methods that Node's parser does not know. Go's server passes any method on, and Kubernetes answers by the
 * path: most refuse it, some answer it as GET.
 */

/** The first line of a request. Upstream: Go's net/http, parseRequestLine and validMethod. */
const REQUEST_LINE = /^([\w!#$%&'*+\-.^`|~]+) (\S+) HTTP\/1\.([01])$/
const HEADER_NAME = /^[\w!#$%&'*+\-.^`|~]+$/
const NOT_IN_VALUE = /[^\t -~\x80-\xff]/

/** Returns name and value of a header line; undefined if it is malformed. Its cost is linear in the line. */
const readHeader = (line: string): readonly [name: string, value: string] | undefined => {
  const colon = line.indexOf(":")
  const [name, value] = [line.slice(0, Math.max(colon, 0)), line.slice(colon + 1)]
  return HEADER_NAME.test(name) && !NOT_IN_VALUE.test(value) ? [name, value.trim()] : undefined
}

/** The head of a request. */
export interface RequestHead {
  readonly method: string
  readonly url: string
  readonly httpVersionMinor: number
  /** Names and values alternating, as received. */
  readonly rawHeaders: ReadonlyArray<string>
}

/**
 * Returns the head of a request that the parser refused for its method. Undefined if the parser knows the method, or if
 * the head has not arrived as a whole or has a malformed line.
 *
 * The fault must be in the first line of the bytes: in a later one, what is before it can be the body of an earlier
 * request, whose author a proxy in front does not let write headers.
 */
export const unknownMethodHead = (error: ParserError, maxHeaders: number): RequestHead | undefined => {
  const { bytesParsed = Number.POSITIVE_INFINITY, rawPacket } = error
  if (rawPacket === undefined) return undefined
  const text = Buffer.from(rawPacket).toString("latin1")
  const end = text.indexOf("\r\n\r\n")
  const [line = "", ...lines] = end < 0 ? [] : text.slice(0, end).split("\r\n")
  const [, method, url, minor] = REQUEST_LINE.exec(line) ?? []
  if (method === undefined || url === undefined || nodeHttp.METHODS.includes(method)) return undefined
  if (bytesParsed > line.length + 2 || lines.length > maxHeaders) return undefined
  const rawHeaders: Array<string> = []
  for (const header of lines) {
    const read = readHeader(header)
    if (read === undefined) return undefined
    rawHeaders.push(...read)
  }
  return { method, url, httpVersionMinor: Number(minor), rawHeaders }
}

/** Headers of which only the first counts, as in Node; others of one name are joined. */
const firstOnly: ReadonlySet<string> = new Set([
  "authorization",
  "content-length",
  "content-type",
  "host",
  "user-agent"
])

const headersOf = (rawHeaders: ReadonlyArray<string>): IncomingHttpHeaders => {
  const headers = new Map<string, string>()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name, value] = [rawHeaders[index]?.toLowerCase() ?? "", rawHeaders[index + 1] ?? ""]
    const before = headers.get(name)
    if (before === undefined) headers.set(name, value)
    else if (!firstOnly.has(name)) headers.set(name, `${before}, ${value}`)
  }
  return Object.fromEntries(headers)
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** Answers a request on a socket that Node's server no longer reads from, and ends the connection. */
export const answerOn = (socket: Socket, request: IncomingMessage, handle: Handle): void => {
  const response = new nodeHttp.ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  response.on("finish", () => socket.destroySoon())
  handle(request, response)
}

/**
 * Hands over a request with this head, which ends the connection: the parser reads no more from it. The body, which no
 * path reads for such a method, is dropped.
 */
export const handleHead = (head: RequestHead, socket: Socket, handle: Handle): void => {
  const request = new nodeHttp.IncomingMessage(socket)
  Object.assign(request, { httpVersionMajor: 1, httpVersion: `1.${head.httpVersionMinor}`, complete: true }, head)
  request.headers = headersOf(head.rawHeaders)
  request.push(null)
  answerOn(socket, request, handle)
}
