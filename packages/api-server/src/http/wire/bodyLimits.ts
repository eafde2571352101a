/** How large a request's body may be, how slowly it may come, and what bodies may hold that are not there yet. */
export interface BodyLimits {
  /** Of one body. */
  readonly bytes: number
  /** From the headers to the end of the body. */
  readonly deadlineMs: number
  /** A body that comes slowly has so long before its rate counts. */
  readonly graceMs: number
  readonly bytesPerSecond: number
  /** How long the rest of a refused body is still read, so that its sender gets to read the refusal. */
  readonly discardMs: number
  /** How often deadlines are looked at: they begin, and are met, to within this. */
  readonly checkMs: number
  /** What the unfinished bodies of one user hold in memory, and those of all users. */
  readonly userBytes: number
  readonly totalBytes: number
}

const MIB = 1024 * 1024

/**
 * Upstream: apiserver/pkg/server/config.go, MaxRequestBodyBytes (3 MiB) and RequestTimeout (60 s). The rate and the shares have no
 * figure upstream, where a body under way costs a goroutine: half-sent bodies are cut off after ten seconds rather than after sixty,
 * and a link of 32 kbit/s is still fast enough for an object of 200 KiB.
 */
export const defaultBodyLimits: BodyLimits = {
  bytes: 3 * MIB,
  deadlineMs: 60_000,
  graceMs: 10_000,
  bytesPerSecond: 4096,
  discardMs: 5_000,
  checkMs: 1_000,
  userBytes: 16 * MIB,
  totalBytes: 128 * MIB
}

/** From here on a body may take long to handle: its user's others wait for it. */
export const LONG_BODY_BYTES = 64 * 1024

/** What a body that is under way is charged beside its bytes: its request, its stream, its buffers. */
export const BODY_OVERHEAD_BYTES = 8 * 1024

/** Until when a body must be complete, or have grown: each byte that has come gives it time, up to the deadline. */
export const bodyDeadlineMs = (limits: BodyLimits, startedMs: number, received: number): number =>
  startedMs + Math.min(limits.deadlineMs, limits.graceMs + (received / limits.bytesPerSecond) * 1000)
