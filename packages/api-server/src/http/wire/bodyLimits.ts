/** The limits of request bodies: their size, their speed, and the memory of unfinished ones. */
export interface BodyLimits {
  /** The maximum size of one body. */
  readonly bytes: number
  /** The time from the headers to the end of the body. */
  readonly deadlineMs: number
  /** How long a body may be slower than `bytesPerSecond` at its start. */
  readonly graceMs: number
  /** The minimum rate of a body. */
  readonly bytesPerSecond: number
  /** How long the rest of a refused body is still read, so that its sender can read the refusal. */
  readonly discardMs: number
  /** How often the deadlines are checked, which is their precision. */
  readonly checkMs: number
  /** The memory for unfinished bodies of one user, and of all users. */
  readonly userBytes: number
  readonly totalBytes: number
}

const MIB = 1024 * 1024

/**
 * Upstream: apiserver/pkg/server/config.go, MaxRequestBodyBytes (3 MiB) and RequestTimeout (60 s). The rate and the
 * limits of memory have no upstream value; there an unfinished body costs a goroutine. Stalled bodies are cut off after
 * ten seconds rather than sixty, and a link of 32 kbit/s is still fast enough for an object of 200 KiB.
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

/** Returns the time by which a body must be complete or have grown: each byte extends it, up to the deadline. */
export const bodyDeadlineMs = (limits: BodyLimits, startedMs: number, received: number): number =>
  startedMs + Math.min(limits.deadlineMs, limits.graceMs + (received / limits.bytesPerSecond) * 1000)
