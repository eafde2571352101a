import type { IncomingHttpHeaders } from "node:http"

/** What the handler needs of a request: node's http and http2 both have it, and a test can make one. */
export interface HttpRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they came. */
  readonly rawHeaders: ReadonlyArray<string>
  readonly socket: object
  /** Of HTTP/2. */
  readonly stream?: { readonly session?: object | undefined }
  readonly httpVersionMajor?: number
  on(event: "data", listener: (chunk: Buffer) => void): unknown
  on(event: "end" | "error" | "aborted", listener: () => void): unknown
  /** The client went away before the request was complete. */
  readonly aborted?: boolean
  /** Cuts the connection of HTTP/1 unless the request is complete; of HTTP/2, `HttpResponse.destroy` ends the stream. */
  destroy(): unknown
}

/** What the handler needs of a response. */
export interface HttpResponse {
  statusCode: number
  readonly headersSent: boolean
  readonly destroyed: boolean
  /** Bytes that were written and have not left. */
  readonly writableLength: number
  setHeader(name: string, value: string | number | ReadonlyArray<string>): unknown
  hasHeader(name: string): boolean
  flushHeaders(): void
  /** False: `drain` comes once more should be written. */
  write(body: Uint8Array | string): unknown
  end(body?: Uint8Array | string): unknown
  destroy(): unknown
  on(event: "close" | "drain", listener: () => void): unknown
}
