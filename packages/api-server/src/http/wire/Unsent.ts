import { guarded, type TimersShape } from "@rollcall/time"
import type { HttpResponse } from "./HttpPort.ts"

/** The limits of data for clients that do not read. */
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
 * Room for the lists that a controller manager requests at startup, several at once. The time is upstream's 60 s for a
 * whole request (apiserver/pkg/server/config.go, RequestTimeout), applied to a client that stops reading.
 */
export const defaultUnsentLimits: UnsentLimits = {
  connectionBytes: 64 * MIB,
  userBytes: 128 * MIB,
  totalBytes: 512 * MIB,
  stallMs: 60_000,
  checkMs: 5_000
}

/** An answer or a watch with unread data. */
export interface Held {
  readonly connection: object
  readonly user: string
  readonly response: Pick<HttpResponse, "writableLength" | "destroy">
  /** The bytes handed to the response so far. */
  written: number
  bytes: number
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
  private readonly held = new Set<Held>()
  private readonly connections = new Map<object, number>()
  private readonly users = new Map<string, number>()
  /** Callbacks that wait for room. */
  private readonly waiting = new Map<Held, () => void>()
  private total = 0
  private checking = false
  private offering = false

  constructor(timers: TimersShape, limits: UnsentLimits) {
    this.timers = timers
    this.limits = limits
  }

  get bytes(): number {
    return this.total
  }

  /**
   * Whether more may be produced for the user on the connection. The less room is left in total, the less one user may
   * hold: users that hold nothing are always served.
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
  hold(connection: object, user: string, response: Held["response"], bytes: number): Held {
    const held: Held = { connection, user, response, written: 0, bytes: 0, sent: 0, sinceMs: this.timers.now() }
    this.held.add(held)
    this.resize(held, bytes)
    if (!this.checking) this.planCheck()
    return held
  }

  resize(held: Held, bytes: number): void {
    if (!this.held.has(held)) return
    const change = bytes - held.bytes
    held.bytes = bytes
    this.total += change
    count(this.connections, held.connection, change)
    count(this.users, held.user, change)
  }

  release(held: Held): void {
    this.resize(held, 0)
    this.held.delete(held)
    this.waiting.delete(held)
    if (this.waiting.size > 0) this.planOffer()
  }

  /** Calls back once, when more may be produced for the user on the connection, unless `held` is released before. */
  whenRoom(held: Held, callback: () => void): void {
    this.waiting.set(held, callback)
  }

  private planOffer(): void {
    if (this.offering) return
    this.offering = true
    this.timers.soon(this.offer)
  }

  /** Calls the waiters in order: each may use up the room that the next one waits for. */
  private readonly offer = (): void => {
    this.offering = false
    for (const [held, callback] of this.waiting) {
      if (!this.mayProduce(held.connection, held.user)) continue
      this.waiting.delete(held)
      guarded(this.timers, "room for an answer", callback)
    }
  }

  private planCheck(): void {
    this.checking = true
    this.timers.after(this.limits.checkMs, this.check)
  }

  private readonly check = (): void => {
    this.checking = false
    const now = this.timers.now()
    for (const held of this.held) {
      const sent = held.written - held.response.writableLength
      if (sent !== held.sent) {
        held.sent = sent
        held.sinceMs = now
      } else if (now - held.sinceMs >= this.limits.stallMs) {
        this.release(held)
        guarded(this.timers, "stalled answer", () => held.response.destroy())
      }
    }
    if (this.held.size > 0) this.planCheck()
  }
}

const count = <K>(counts: Map<K, number>, key: K, change: number): void => {
  const next = (counts.get(key) ?? 0) + change
  if (next > 0) counts.set(key, next)
  else counts.delete(key)
}
