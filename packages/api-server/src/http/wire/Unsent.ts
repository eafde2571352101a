import { guarded, type TimersShape } from "@rollcall/time"
import type { HttpResponse } from "./HttpPort.ts"

/** The limits of data that was produced for clients and that they have not read. */
export interface UnsentLimits {
  /**
   * The limits of one connection, of one user, and in total, in bytes; an answer that starts below a limit may exceed
   * it.
   */
  readonly connectionBytes: number
  readonly userBytes: number
  readonly totalBytes: number
  /** An answer or a watch is cut off when its client has read nothing for this long. */
  readonly stallMs: number
  /** The interval of checks. */
  readonly checkMs: number
}

const MIB = 1024 * 1024

/**
 * Enough for the lists that a controller manager requests at startup, several at once. `stallMs` is upstream's 60 s for
 * a whole request (apiserver/pkg/server/config.go, RequestTimeout), applied to a client that stops reading.
 */
export const defaultUnsentLimits: UnsentLimits = {
  connectionBytes: 64 * MIB,
  userBytes: 128 * MIB,
  totalBytes: 512 * MIB,
  stallMs: 60_000,
  checkMs: 5_000
}

/** An answer or a watch with unread data, as registered in `Unsent`. */
export interface UnsentEntry {
  readonly connection: object
  readonly user: string
  readonly response: Pick<HttpResponse, "writableLength" | "destroy">
  /** The bytes handed to the response so far. */
  written: number
  /** The unread bytes, as last counted by the owner: those in the response and those still to be produced. */
  bytes: number
  /** The bytes that had left the process at the last check, and the time at which that number last changed. */
  sent: number
  sinceMs: number
}

/**
 * Counts the data that was produced for clients and not read yet, by connection and by user. For a client with too much
 * of it nothing more is produced; a client that reads nothing for a while is cut off.
 */
export class Unsent {
  private readonly timers: TimersShape
  private readonly limits: UnsentLimits
  private readonly entries = new Set<UnsentEntry>()
  private readonly connections = new Map<object, number>()
  private readonly users = new Map<string, number>()
  /** Callbacks of entries that wait until more may be produced for them. */
  private readonly waiting = new Map<UnsentEntry, () => void>()
  private total = 0
  private isCheckPlanned = false
  private isResumePlanned = false

  constructor(timers: TimersShape, limits: UnsentLimits) {
    this.timers = timers
    this.limits = limits
  }

  get bytes(): number {
    return this.total
  }

  /**
   * Whether more may be produced for the user on the connection. The less is left of the total, the lower the limit of
   * one user. Users without unread data are always served.
   */
  mayProduce(connection: object, user: string): boolean {
    if (this.total === 0) return true
    const { connectionBytes, totalBytes, userBytes } = this.limits
    const own = this.users.get(user) ?? 0
    if (own === 0) return true
    return (
      own < Math.min(userBytes, totalBytes - this.total) && (this.connections.get(connection) ?? 0) < connectionBytes
    )
  }

  /**
   * Whether a request may be answered at all, at least with a refusal or a lease renewal: those are small, and continue
   * for a client that does not read its lists. Beyond twice the limit its requests are cut off.
   */
  mayAnswer(user: string): boolean {
    return (this.users.get(user) ?? 0) < 2 * this.limits.userBytes
  }

  /** Registers `bytes` of unread data. Call `release` when they are gone. */
  register(connection: object, user: string, response: UnsentEntry["response"], bytes: number): UnsentEntry {
    const entry: UnsentEntry = { connection, user, response, written: 0, bytes: 0, sent: 0, sinceMs: this.timers.now() }
    this.entries.add(entry)
    this.resize(entry, bytes)
    if (!this.isCheckPlanned) this.planCheck()
    return entry
  }

  /** Sets the unread bytes of an entry; does nothing if it was released. */
  resize(entry: UnsentEntry, bytes: number): void {
    if (!this.entries.has(entry)) return
    const change = bytes - entry.bytes
    entry.bytes = bytes
    this.total += change
    count(this.connections, entry.connection, change)
    count(this.users, entry.user, change)
  }

  release(entry: UnsentEntry): void {
    this.resize(entry, 0)
    this.entries.delete(entry)
    this.waiting.delete(entry)
    if (this.waiting.size > 0) this.planResume()
  }

  /** Calls back once, when more may be produced for the entry's user and connection, unless it is released before. */
  whenMayProduce(entry: UnsentEntry, callback: () => void): void {
    this.waiting.set(entry, callback)
  }

  private planResume(): void {
    if (this.isResumePlanned) return
    this.isResumePlanned = true
    this.timers.soon(this.resumeWaiting)
  }

  /** Calls the callbacks in order of their registration: each may produce what exhausts the limit for the next. */
  private readonly resumeWaiting = (): void => {
    this.isResumePlanned = false
    for (const [entry, callback] of this.waiting) {
      if (!this.mayProduce(entry.connection, entry.user)) continue
      this.waiting.delete(entry)
      guarded(this.timers, "room for an answer", callback)
    }
  }

  private planCheck(): void {
    this.isCheckPlanned = true
    this.timers.after(this.limits.checkMs, this.check)
  }

  private readonly check = (): void => {
    this.isCheckPlanned = false
    const now = this.timers.now()
    for (const entry of this.entries) {
      const sent = entry.written - entry.response.writableLength
      if (sent !== entry.sent) {
        entry.sent = sent
        entry.sinceMs = now
      } else if (now - entry.sinceMs >= this.limits.stallMs) {
        this.release(entry)
        guarded(this.timers, "stalled answer", () => entry.response.destroy())
      }
    }
    if (this.entries.size > 0) this.planCheck()
  }
}

const count = <K>(counts: Map<K, number>, key: K, change: number): void => {
  const next = (counts.get(key) ?? 0) + change
  if (next > 0) counts.set(key, next)
  else counts.delete(key)
}
