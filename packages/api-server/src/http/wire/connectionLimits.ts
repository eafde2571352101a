/** How many connections there may be, and how long one may do nothing. */
export interface ConnectionLimits {
  /** Of all. Beyond it the least useful one is closed for each that comes. */
  readonly most: number
  /** Of those on which no caller has been authenticated yet, TLS handshakes among them. Beyond it the oldest is closed. */
  readonly unidentified: number
  /** From the opening of a connection to the end of its first request's headers. */
  readonly headerMs: number
  /** Without a request. */
  readonly idleMs: number
  /** How often that is looked at. */
  readonly checkMs: number
}

/**
 * Upstream: apiserver/pkg/server/secure_serving.go, ReadHeaderTimeout (32 s) and IdleTimeout (90 s). Upstream counts no connections;
 * its processes have a limit of files by which they can be silenced.
 * 16,384 are three for each node of the largest clusters, and with TLS a gigabyte.
 */
export const defaultConnectionLimits: ConnectionLimits = {
  most: 16_384,
  unidentified: 1024,
  headerMs: 32_000,
  idleMs: 90_000,
  checkMs: 5_000
}
