import type { IncomingHttpHeaders } from "node:http"

/** The part of a request that the handler uses: node's http and http2 both have it, and tests can make one. */
export interface HttpRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  /** Names and values alternating, as received. */
  readonly rawHeaders: ReadonlyArray<string>
  readonly socket: object
  /** Present for HTTP/2. */
  readonly stream?: { readonly session?: object | undefined }
  readonly httpVersionMajor?: number
  /** The body, if it has arrived with the request. */
  readonly whole?: Buffer
  on(event: "data", listener: (chunk: Buffer) => void): unknown
  on(event: "end" | "error" | "aborted", listener: () => void): unknown
  /** Whether the client aborted the request before it was complete. */
  readonly aborted?: boolean
  /**
   * For HTTP/1, closes the connection unless the request is complete; for HTTP/2, `HttpResponse.destroy` ends the
   * stream.
   */
  destroy(): unknown
}

/** The part of a response that the handler uses. */
export interface HttpResponse {
  statusCode: number
  readonly headersSent: boolean
  readonly destroyed: boolean
  /** Bytes that are written and not sent yet. */
  readonly writableLength: number
  setHeader(name: string, value: string | number | ReadonlyArray<string>): unknown
  hasHeader(name: string): boolean
  /** Only needed for requests that other servers answer. */
  getHeader?(name: string): unknown
  flushHeaders(): void
  /** Returns false if the writer must wait for `drain` before it writes more. */
  write(body: Uint8Array | string): unknown
  end(body?: Uint8Array | string): unknown
  destroy(): unknown
  on(event: "close" | "drain", listener: () => void): unknown
}
