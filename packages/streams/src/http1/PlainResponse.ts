import type { Socket } from "node:net"
import { allocatedChunk, chunkOf } from "./chunks.ts"

export interface ResponseOwner {
  readonly socket: Socket
  /** The texts of status codes. */
  readonly statusTexts: Readonly<Record<number, string | undefined>>
  /** The header lines that every answer has, each with its end. */
  readonly commonLines: () => string
  /** How long the connection may be idle. */
  readonly keepAliveSeconds: number
  /** Called once the response has been sent. */
  readonly onSent: () => void
}

const NAME = /^[\w!#$%&'*+\-.^`|~]+$/
const NOT_IN_VALUE = /[^\t -~\x80-\xff]/
const CONTENT_LENGTH = "content-length"
const CHUNKED = "Transfer-Encoding: chunked\r\n"
const LINE_END = "\r\n"
const LAST_CHUNK = "0\r\n\r\n"

const MAX_KEYS = 256
const keys = new Map<string, string>()

/** Returns the name in lower case; undefined for one that no header may have. Servers set few different ones. */
const keyOf = (name: string): string | undefined => {
  const known = keys.get(name)
  if (known !== undefined || !NAME.test(name)) return known
  const key = name.toLowerCase()
  if (keys.size < MAX_KEYS) keys.set(name, key)
  return key
}

const isFieldValue = (value: string | number | ReadonlyArray<string>): boolean =>
  typeof value === "object" ? value.every(isFieldValue) : typeof value === "number" || !NOT_IN_VALUE.test(value)

/** Whether an answer with this code has no body. */
const isBodiless = (code: number): boolean => code === 204 || code === 304

/** The answer to a `PlainRequest`, written as Node's server writes it, in one piece where it can be. */
export class PlainResponse {
  statusCode = 200
  /** Whether the connection goes on after this answer. */
  shouldKeepAlive = true
  headersSent = false
  destroyed = false
  private readonly owner: ResponseOwner
  private readonly names: Array<string> = []
  private readonly keys: Array<string> = []
  private readonly values: Array<string | ReadonlyArray<string>> = []
  /** The length of the body, once a header says it. */
  private contentLength: number | undefined
  private isChunked = false
  private isEnded = false
  private readonly closeListeners: Array<() => void> = []
  private readonly drainListeners: Array<() => void> = []

  constructor(owner: ResponseOwner) {
    this.owner = owner
  }

  get writableLength(): number {
    return this.owner.socket.writableLength
  }

  setHeader(name: string, value: string | number | ReadonlyArray<string>): this {
    if (this.headersSent) throw new Error("the headers have been sent")
    const key = keyOf(name)
    if (key === undefined || !isFieldValue(value))
      throw new TypeError(`a header has characters that none may have: ${name}`)
    const at = this.keys.indexOf(key)
    if (key === CONTENT_LENGTH) this.contentLength = typeof value === "number" ? value : undefined
    const place = at < 0 ? this.keys.push(key) - 1 : at
    this.names[place] = name
    this.values[place] = typeof value === "number" ? String(value) : value
    return this
  }

  hasHeader(name: string): boolean {
    const key = keyOf(name)
    return key !== undefined && this.keys.includes(key)
  }

  getHeader(name: string): string | ReadonlyArray<string> | undefined {
    return this.values[this.keys.indexOf(name.toLowerCase())]
  }

  on(event: "close" | "drain", listener: () => void): this {
    const listeners = event === "close" ? this.closeListeners : this.drainListeners
    listeners.push(listener)
    return this
  }

  flushHeaders(): void {
    if (!this.headersSent) this.owner.socket.write(this.head(undefined), "latin1")
  }

  /** Returns false if the writer must wait for `drain` before it writes more. */
  write(body: Uint8Array | string): boolean {
    if (this.destroyed || this.isEnded) return false
    const head = this.headersSent ? "" : this.head(undefined)
    if (body.length === 0) return head === "" || this.owner.socket.write(head, "latin1")
    return this.put(head, body, lengthOf(body), "")
  }

  end(body: Uint8Array | string = ""): this {
    if (this.isEnded || this.destroyed) return this
    this.isEnded = true
    const bytes = body === "" ? 0 : (this.contentLength ?? lengthOf(body))
    const head = this.headersSent ? "" : this.head(bytes)
    const after = this.isChunked ? LAST_CHUNK : ""
    if (isBodiless(this.statusCode)) this.put(head, "", 0, after, this.owner.onSent)
    else this.put(head, body, bytes, after, this.owner.onSent)
    return this
  }

  destroy(): void {
    this.owner.socket.destroy()
  }

  /** Calls who waits for the client to read. */
  drained(): void {
    for (const listener of this.drainListeners) listener()
  }

  /** Calls who waits for the end of the exchange. */
  closed(): void {
    this.destroyed = true
    for (const listener of this.closeListeners.splice(0)) listener()
  }

  /** Writes a piece of the body between `before` and `after`, which are ASCII or bytes: a small one in one write. */
  private put(before: string, body: Uint8Array | string, bytes: number, after: string, done?: () => void): boolean {
    const { socket } = this.owner
    const isFramed = this.isChunked && bytes > 0
    const start = isFramed ? `${before}${bytes.toString(16)}${LINE_END}` : before
    const end = isFramed ? LINE_END + after : after
    const isText = typeof body === "string"
    if (isFramed && !isText && before === "" && after === "") {
      const chunk = allocatedChunk(body) ?? (bytes <= COPIED_BYTES ? chunkOf(body) : undefined)
      if (chunk !== undefined) return socket.write(chunk, done)
    }
    // Characters of ASCII are their bytes: these need no room for more.
    const encoding = isText && bytes === body.length ? "latin1" : "utf8"
    if (bytes <= COPIED_BYTES) {
      if (isText) return socket.write(`${start}${body}${end}`, encoding, done)
      return socket.write(Buffer.concat([Buffer.from(start, "latin1"), body, Buffer.from(end, "latin1")]), done)
    }
    socket.cork()
    if (start !== "") socket.write(start, "latin1")
    const last = end === "" ? done : undefined
    const isRead = isText ? socket.write(body, encoding, last) : socket.write(body, last)
    const isDone = end === "" ? isRead : socket.write(end, "latin1", done)
    socket.uncork()
    return isDone
  }

  /** Returns the head of an answer whose body has this length; undefined for one that is written in pieces. */
  private head(length: number | undefined): string {
    const { commonLines, keepAliveSeconds, statusTexts } = this.owner
    const { keys, names, statusCode, values } = this
    this.headersSent = true
    let text = `HTTP/1.1 ${statusCode} ${statusTexts[statusCode] ?? "unknown"}\r\n`
    for (let at = 0; at < keys.length; at++) {
      const value = values[at] as string | ReadonlyArray<string>
      if (typeof value === "string") text += `${names[at]}: ${value}\r\n`
      else for (const each of value) text += `${names[at]}: ${each}\r\n`
    }
    text += commonLines()
    if (this.hasHeader("connection")) this.shouldKeepAlive = false
    else if (this.shouldKeepAlive) text += `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n`
    else text += "Connection: close\r\n"
    if (this.hasHeader(CONTENT_LENGTH) || isBodiless(statusCode)) return text + LINE_END
    if (length !== undefined) return `${text}Content-Length: ${length}\r\n\r\n`
    this.isChunked = true
    return text + CHUNKED + LINE_END
  }
}

/** A larger body is not copied to be sent in one piece with its head. */
const COPIED_BYTES = 16 * 1024

const lengthOf = (body: Uint8Array | string): number =>
  typeof body === "string" ? Buffer.byteLength(body) : body.length
