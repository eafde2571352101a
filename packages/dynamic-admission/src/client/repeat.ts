import type { Hop } from "./redirection.ts"

/** A request that ended in an error, as Node has it. */
export interface FailedRequest {
  readonly method: Hop["method"]
  /** Whether it was sent on a connection that an earlier request had opened. */
  readonly reusedSocket: boolean
  /** The bytes that were handed to the connection for it. */
  readonly handedBytes: number
  readonly error: { readonly code?: string; readonly syscall?: string }
}

/** The content of one TLS record: what is not longer is written as a whole, or not at all. */
const RECORD_BYTES = 16_384

/** Whether the connection ended before an answer began. */
const wasClosed = (code = ""): boolean => code === "ECONNRESET" || code === "EPIPE"

/** Whether the server can have read nothing of the request. A write that fails counts as handed over. */
const nothingWritten = ({ error, handedBytes }: FailedRequest): boolean =>
  handedBytes === 0 || (error.syscall === "write" && handedBytes <= RECORD_BYTES)

/**
 * Whether a request is sent once more: the server had closed the kept connection, and either read nothing of the request
 * or may read it twice. Upstream: Go's net/http, persistConn.shouldRetryRequest.
 */
export const mayRepeat = (failed: FailedRequest): boolean =>
  failed.reusedSocket && wasClosed(failed.error.code) && (failed.method === "GET" || nothingWritten(failed))
