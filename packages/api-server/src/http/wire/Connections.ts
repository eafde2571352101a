import { guarded, type TimersShape } from "@rollcall/time"
import type { HttpRequest } from "./HttpPort.ts"

/** The limits of connections: their number, and their idle time. */
export interface ConnectionLimits {
  /** The maximum of all connections. Beyond it the least useful one is closed for each new one. */
  readonly most: number
  /**
   * The maximum of connections without an authenticated caller, including TLS handshakes. Beyond it the oldest is
   * closed.
   */
  readonly unidentified: number
  /** The time from the opening of a connection to the end of its first request's headers. */
  readonly headerMs: number
  /** The time without a request. */
  readonly idleMs: number
  /** The interval of checks. */
  readonly checkMs: number
}

/**
 * Upstream: apiserver/pkg/server/secure_serving.go, ReadHeaderTimeout (32 s) and IdleTimeout (90 s). Upstream does not
 * limit connections; its processes have a limit of open files, whose exhaustion silences them. 16,384 are three for
 * each node of the largest clusters, and with TLS a gigabyte.
 */
export const defaultConnectionLimits: ConnectionLimits = {
  most: 16_384,
  unidentified: 1024,
  headerMs: 32_000,
  idleMs: 90_000,
  checkMs: 5_000
}

/** Closes a connection. */
export interface Closer {
  /** Closes immediately. */
  readonly destroy: () => void
  /** Closes cleanly: no request is being answered. */
  readonly close: () => void
}

/** An open connection. */
export interface Connection {
  closer: Closer
  /** The user last authenticated on it; undefined: none yet. */
  user: string | undefined
  /** The number of requests being answered, including watches. */
  requests: number
  hasAsked: boolean
  /** When it was opened, or first seen idle after its last request. */
  sinceMs: number | undefined
}

/**
 * The connections of a server. One without requests is closed after a while. When there are too many, they are closed
 * in this order: the oldest without an authenticated user; the one that has been idle longest; the oldest of the user
 * with the most. So no client can lock out others by holding connections.
 */
export class Connections {
  private readonly timers: TimersShape
  private readonly limits: ConnectionLimits
  private readonly all = new Set<Connection>()
  private readonly unidentified = new Set<Connection>()
  private readonly bySocket = new WeakMap<object, Connection>()
  private checking = false

  constructor(timers: TimersShape, limits: ConnectionLimits) {
    this.timers = timers
    this.limits = limits
  }

  get size(): number {
    return this.all.size
  }

  get unidentifiedSize(): number {
    return this.unidentified.size
  }

  /** Registers a new connection. Call `closed` when it has ended. */
  opened(closer: Closer): Connection {
    const sinceMs = this.timers.now()
    const connection: Connection = { closer, user: undefined, requests: 0, hasAsked: false, sinceMs }
    if (this.all.size >= this.limits.most) this.makeRoom()
    else if (this.unidentified.size >= this.limits.unidentified) this.drop(first(this.unidentified))
    this.all.add(connection)
    this.unidentified.add(connection)
    if (!this.checking) this.planCheck()
    return connection
  }

  /** `socket`, the TLS socket or the HTTP/2 session, is the object to which requests on the connection refer. */
  bind(socket: object, connection: Connection, closer: Closer): void {
    this.bySocket.set(socket, connection)
    connection.closer = closer
  }

  closed(connection: Connection): void {
    this.all.delete(connection)
    this.unidentified.delete(connection)
  }

  /** Registers the start of a request; undefined: its connection is not registered. */
  began(socket: object): Connection | undefined {
    const connection = this.bySocket.get(socket)
    if (connection === undefined) return undefined
    connection.requests++
    connection.hasAsked = true
    return connection
  }

  ended(connection: Connection): void {
    connection.requests--
    // Set by the next check, because reading the clock for each request would be too expensive.
    connection.sinceMs = undefined
  }

  identified(connection: Connection, user: string): void {
    if (connection.user === user) return
    if (connection.user === undefined) this.unidentified.delete(connection)
    connection.user = user
  }

  private makeRoom(): void {
    this.drop(first(this.unidentified) ?? this.longestIdle() ?? this.oldestOfGreediest())
  }

  private drop(connection: Connection | undefined): void {
    if (connection === undefined) return
    this.closed(connection)
    guarded(this.timers, "connection", connection.closer.destroy)
  }

  private longestIdle(): Connection | undefined {
    let found: Connection | undefined
    for (const connection of this.all) {
      if (connection.requests > 0) continue
      if (found === undefined || (connection.sinceMs ?? NEW) < (found.sinceMs ?? NEW)) found = connection
    }
    return found
  }

  private oldestOfGreediest(): Connection | undefined {
    const counts = new Map<string | undefined, number>()
    let greediest: string | undefined
    for (const { user } of this.all) {
      const count = (counts.get(user) ?? 0) + 1
      counts.set(user, count)
      if (count > (counts.get(greediest) ?? 0)) greediest = user
    }
    for (const connection of this.all) if (connection.user === greediest) return connection
    return undefined
  }

  private planCheck(): void {
    this.checking = true
    this.timers.after(this.limits.checkMs, this.check)
  }

  private readonly check = (): void => {
    this.checking = false
    const now = this.timers.now()
    for (const connection of this.all) {
      const { closer, hasAsked, requests } = connection
      if (requests > 0) continue
      connection.sinceMs ??= now
      const { sinceMs } = connection
      if (!hasAsked && now - sinceMs >= this.limits.headerMs) this.drop(connection)
      else if (hasAsked && now - sinceMs >= this.limits.idleMs) guarded(this.timers, "connection", closer.close)
    }
    if (this.all.size > 0) this.planCheck()
  }
}

const NEW = Number.POSITIVE_INFINITY

const first = (connections: ReadonlySet<Connection>): Connection | undefined => {
  for (const connection of connections) return connection
  return undefined
}

/** Returns the connection of a request: for HTTP/2 one for all its streams. */
export const connectionOf = (request: HttpRequest): object => request.stream?.session ?? request.socket
