import { guarded, type TimersShape } from "@rollcall/time"
import type { HttpRequest } from "./HttpPort.ts"

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

/** How a connection is closed. */
export interface Closer {
  /** At once. */
  readonly destroy: () => void
  /** In good order: nobody is being answered. */
  readonly close: () => void
}

/** A connection that is open. */
export interface Connection {
  closer: Closer
  /** Who was authenticated on it last; undefined: nobody yet. */
  user: string | undefined
  /** Requests that are being answered, watches among them. */
  requests: number
  hasAsked: boolean
  /** When it was opened, or was first seen idle after its last request. */
  sinceMs: number | undefined
}

/**
 * The connections of a server. One that asks nothing is closed after a while. Where there are too many, those go first that have not
 * said who they are, the oldest of them; then the one that has been idle for the longest; then the oldest of the user that has the
 * most: so that nobody keeps others out by holding connections.
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

  /** A client has connected. Tell `closed` when it has gone. */
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

  /** `socket`, of TLS or a session of HTTP/2, is what requests on the connection come from. */
  bind(socket: object, connection: Connection, closer: Closer): void {
    this.bySocket.set(socket, connection)
    connection.closer = closer
  }

  closed(connection: Connection): void {
    this.all.delete(connection)
    this.unidentified.delete(connection)
  }

  /** A request has begun; undefined: on a connection that nobody told of. */
  began(socket: object): Connection | undefined {
    const connection = this.bySocket.get(socket)
    if (connection === undefined) return undefined
    connection.requests++
    connection.hasAsked = true
    return connection
  }

  ended(connection: Connection): void {
    connection.requests--
    // Not now, to the millisecond: that would be a look at the clock for each request.
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

/** The connection of a request: of HTTP/2 one for all its streams. */
export const connectionOf = (request: HttpRequest): object => request.stream?.session ?? request.socket
