import { guarded, type TimersShape } from "@rollcall/time"
import type { HttpResponse } from "./HttpPort.ts"

/** What may wait for clients that do not read. */
export interface UnsentLimits {
  /** Of one connection, of one user, and in all, in bytes; an answer that is begun below a limit may go beyond it. */
  readonly connectionBytes: number
  readonly userBytes: number
  readonly totalBytes: number
  /** An answer or a watch of which the client has read nothing for so long is cut off. */
  readonly stallMs: number
  /** How often that is looked at. */
  readonly checkMs: number
}

const MIB = 1024 * 1024

/**
 * Room for the lists that a controller manager asks for at its start, several at once; and, as upstream gives a request 60 s in all
 * (apiserver/pkg/server/config.go, RequestTimeout), as long for a client to go on reading.
 */
export const defaultUnsentLimits: UnsentLimits = {
  connectionBytes: 64 * MIB,
  userBytes: 128 * MIB,
  totalBytes: 512 * MIB,
  stallMs: 60_000,
  checkMs: 5_000
}

/** One answer or watch that waits for its client to read. */
export interface Held {
  readonly connection: object
  readonly user: string
  readonly response: Pick<HttpResponse, "writableLength" | "destroy">
  /** What was handed to the response so far. */
  written: number
  bytes: number
  sent: number
  sinceMs: number
}

/**
 * Counts what has been made for clients and not been read by them, by connection and by user. Who holds too much gets nothing more
 * made; who reads nothing for a while is cut off.
 */
export class Unsent {
  private readonly timers: TimersShape
  private readonly limits: UnsentLimits
  private readonly held = new Set<Held>()
  private readonly connections = new Map<object, number>()
  private readonly users = new Map<string, number>()
  /** Who waits for something to be released, and what is done then. */
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
   * Whether more may be made for the user on the connection. The less room there is in all, the less of it one user may hold: those
   * that hold nothing are always served.
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
   * Whether anything may be answered, if only a refusal or the renewal of a lease: those are small, and go on where a client does not
   * read its lists. Beyond twice what it may have unread its requests are cut off.
   */
  mayAnswer(user: string): boolean {
    return (this.users.get(user) ?? 0) < 2 * this.limits.userBytes
  }

  /** `bytes` wait for the client to read them. Tell `release` when they are gone. */
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

  /** Calls back once, when more may be made for the user on the connection, if `held` is not released before. */
  whenRoom(held: Held, callback: () => void): void {
    this.waiting.set(held, callback)
  }

  private planOffer(): void {
    if (this.offering) return
    this.offering = true
    this.timers.soon(this.offer)
  }

  /** In the order in which they came: each may take what the next one waits for. */
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
