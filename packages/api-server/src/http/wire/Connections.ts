import { guarded, type TimersShape } from "@rollcall/time"
import type { HttpRequest } from "./HttpPort.ts"

/** The limits of the number of connections and of their idle time. */
export interface ConnectionLimits {
  /** The maximum number of connections. Beyond it the least useful one is closed for each new one. */
  readonly most: number
  /**
   * The maximum number of connections without an authenticated caller, including TLS handshakes. Beyond it the oldest
   * is closed.
   */
  readonly unidentified: number
  /** How long after its opening a connection must have sent the headers of its first request. */
  readonly headerMs: number
  /** How long a connection may be without a request. */
  readonly idleMs: number
  /** The interval of checks. */
  readonly checkMs: number
}

/**
 * Upstream: apiserver/pkg/server/secure_serving.go, ReadHeaderTimeout (32 s) and IdleTimeout (90 s). Upstream does not
 * limit connections; there, a process that reaches its limit of open files accepts none at all. 16,384 connections are
 * three for each node of the largest clusters, and with TLS they use a gigabyte.
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
  /** Closes cleanly once the request that is being answered has its answer, which says so to the client. */
  readonly finish?: () => void
}

/** An open connection. */
export interface Connection {
  closer: Closer
  /** The user last authenticated on it; undefined before the first. */
  user: string | undefined
  /** The number of requests being answered, including watches. */
  requests: number
  hasSentRequest: boolean
  /** When it was opened; after a request, the first check at which it was idle, and undefined before that check. */
  sinceMs: number | undefined
}

/**
 * The connections of a server. One without requests is closed after a while. When there are too many, they are closed
 * in this order: the oldest without an authenticated user, unless those are few; the one that has been idle longest; the
 * oldest of the user with the most. So no client can lock out others by holding connections, or by opening them.
 */
export class Connections {
  private readonly timers: TimersShape
  private readonly limits: ConnectionLimits
  private readonly all = new Set<Connection>()
  private readonly unidentified = new Set<Connection>()
  private readonly bySocket = new WeakMap<object, Connection>()
  private isCheckPlanned = false

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

  /** Registers a new connection. Call `remove` when it has ended. */
  add(closer: Closer): Connection {
    const sinceMs = this.timers.now()
    const connection: Connection = { closer, user: undefined, requests: 0, hasSentRequest: false, sinceMs }
    if (this.all.size >= this.limits.most) this.closeLeastUseful()
    else if (this.unidentified.size >= this.limits.unidentified) this.drop(first(this.unidentified))
    this.all.add(connection)
    this.unidentified.add(connection)
    if (!this.isCheckPlanned) this.planCheck()
    return connection
  }

  /** Names the object by which requests refer to the connection (`connectionOf`): its socket or HTTP/2 session. */
  bind(socket: object, connection: Connection, closer: Closer): void {
    this.bySocket.set(socket, connection)
    connection.closer = closer
  }

  remove(connection: Connection): void {
    this.all.delete(connection)
    this.unidentified.delete(connection)
  }

  /** Counts a request that starts on the connection of this socket; returns undefined if that is not registered. */
  startRequest(socket: object): Connection | undefined {
    const connection = this.bySocket.get(socket)
    if (connection === undefined) return undefined
    connection.requests++
    connection.hasSentRequest = true
    return connection
  }

  /** Counts the end of a request. */
  endRequest(connection: Connection): void {
    connection.requests--
    // Set by the next check, because reading the clock for each request would be too expensive.
    connection.sinceMs = undefined
  }

  /** Records the user that was authenticated on a connection. */
  setUser(connection: Connection, user: string): void {
    if (connection.user === user) return
    if (connection.user === undefined) this.unidentified.delete(connection)
    connection.user = user
  }

  /** Records the user that was authenticated by a request on this socket. */
  identify(socket: object, user: string): void {
    const connection = this.bySocket.get(socket)
    if (connection !== undefined) this.setUser(connection, user)
  }

  /** Whether any request is being answered, watches included. */
  get isAnswering(): boolean {
    for (const { requests } of this.all) if (requests > 0) return true
    return false
  }

  /** Closes all connections as soon as their requests are answered. */
  finishAll(): void {
    for (const { closer } of [...this.all]) {
      if (closer.finish !== undefined) guarded(this.timers, "connection", closer.finish)
    }
  }

  /** Closes the connections on which no request was ever sent. */
  dropUnused(): void {
    for (const connection of [...this.all]) if (!connection.hasSentRequest) this.drop(connection)
  }

  /** Closes all connections at once. */
  dropAll(): void {
    for (const connection of [...this.all]) this.drop(connection)
  }

  private closeLeastUseful(): void {
    // A few are others who are about to say who they are: they would never come to that under a flood of connections.
    const isFlooded = this.unidentified.size >= this.limits.unidentified * FEW_UNIDENTIFIED
    const unidentified = isFlooded ? first(this.unidentified) : undefined
    this.drop(unidentified ?? this.longestIdle() ?? this.oldestOfBusiestUser())
  }

  private drop(connection: Connection | undefined): void {
    if (connection === undefined) return
    this.remove(connection)
    guarded(this.timers, "connection", connection.closer.destroy)
  }

  private longestIdle(): Connection | undefined {
    let found: Connection | undefined
    for (const connection of this.all) {
      if (connection.requests > 0 || connection.user === undefined) continue
      if (found === undefined || (connection.sinceMs ?? NOT_YET_CHECKED) < (found.sinceMs ?? NOT_YET_CHECKED))
        found = connection
    }
    return found
  }

  private oldestOfBusiestUser(): Connection | undefined {
    const counts = new Map<string | undefined, number>()
    let busiest: string | undefined
    for (const { user } of this.all) {
      const count = (counts.get(user) ?? 0) + 1
      counts.set(user, count)
      if (count > (counts.get(busiest) ?? 0)) busiest = user
    }
    for (const connection of this.all) if (connection.user === busiest) return connection
    return undefined
  }

  private planCheck(): void {
    this.isCheckPlanned = true
    this.timers.after(this.limits.checkMs, this.check)
  }

  private readonly check = (): void => {
    this.isCheckPlanned = false
    const now = this.timers.now()
    for (const connection of this.all) {
      const { closer, hasSentRequest, requests } = connection
      if (requests > 0) continue
      connection.sinceMs ??= now
      const { sinceMs } = connection
      if (!hasSentRequest && now - sinceMs >= this.limits.headerMs) this.drop(connection)
      else if (hasSentRequest && now - sinceMs >= this.limits.idleMs) guarded(this.timers, "connection", closer.close)
    }
    if (this.all.size > 0) this.planCheck()
  }
}

/** The part of the connections without an authenticated user that are spared when there are too many in all. */
const FEW_UNIDENTIFIED = 1 / 4

/** Connections that became idle since the last check are the newest. */
const NOT_YET_CHECKED = Number.POSITIVE_INFINITY

const first = (connections: ReadonlySet<Connection>): Connection | undefined => {
  for (const connection of connections) return connection
  return undefined
}

/** Returns the object that identifies the connection of a request: the session in HTTP/2, otherwise the socket. */
export const connectionOf = (request: HttpRequest): object => request.stream?.session ?? request.socket
