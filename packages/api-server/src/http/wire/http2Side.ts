import { createServer, Http2ServerRequest, Http2ServerResponse, type ServerHttp2Session } from "node:http2"
import type { TLSSocket } from "node:tls"
import type { Connection, Connections } from "./Connections.ts"
import type { HttpRequest, HttpResponse } from "./HttpPort.ts"

/** Connections that agreed on HTTP/2: kubectl's, client-go's, and fleets that share a few for all their watches. */
export interface Http2Side {
  readonly take: (socket: TLSSocket, connection: Connection | undefined) => void
  /** No more requests; those under way are answered. */
  readonly close: () => void
  readonly destroy: () => void
}

/** What a connection may have in flight, in MB: lists are large, and many may be asked for at once. */
const MAX_SESSION_MEMORY = 64
const MAX_HEADER_BYTES = 64 * 1024
const MAX_STREAMS = 250
const MAX_HEADERS = 200

/**
 * The figures of HTTP/2's own attacks, most of them Node's defaults, said here so that no change of those opens the door. 250 streams a
 * connection, as Go's server allows where nothing else is said; a client that resets its streams faster than it is served
 * (CVE-2023-44487), that sends frames which make no sense, or floods with PING or SETTINGS, loses its connection.
 */
const limits = {
  maxSessionMemory: MAX_SESSION_MEMORY,
  maxHeaderListPairs: MAX_HEADERS,
  maxOutstandingPings: 10,
  maxSettings: 32,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  // All that it may have in flight, once; Node would take four times as many, which is a second of work for twenty connections.
  streamResetBurst: MAX_STREAMS,
  streamResetRate: 33,
  settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEADER_BYTES, enablePush: false }
}

/** The compatibility layer's answer. */
class Response extends Http2ServerResponse {}

// Its types say that it knows whether it is destroyed; it does not. Its stream does, whose client may have reset it.
Object.defineProperty(Response.prototype, "destroyed", {
  get(this: Response) {
    return this.stream.destroyed
  }
})

/** What the compatibility layer has, and its types leave out. */
type Whole = Response & Pick<HttpResponse, "flushHeaders">
type Handle = (request: HttpRequest, response: HttpResponse) => void

/** Streams have no timeout of their own: bodies have a deadline where they are read, and a quiet watch lives. */
export const http2Side = (handle: Handle, connections: Connections): Http2Side => {
  const sessions = new Set<ServerHttp2Session>()
  const classes = { Http2ServerRequest, Http2ServerResponse: Response }
  const server = createServer({ ...limits, ...classes }, (request, response) => handle(request, response as Whole))
  let taken: Connection | undefined
  server.on("session", (session) => {
    sessions.add(session)
    const closer = { destroy: () => session.destroy(), close: () => session.close() }
    if (taken !== undefined) connections.bind(session, taken, closer)
    session.on("close", () => sessions.delete(session))
    // A client that breaks the protocol has its own connection broken, and that is all.
    session.on("error", () => session.destroy())
  })
  server.on("sessionError", () => {})
  return {
    take: (socket, connection) => {
      // The session is made within the call.
      taken = connection
      server.emit("connection", socket)
      taken = undefined
    },
    close: () => {
      for (const session of sessions) session.close()
    },
    destroy: () => {
      for (const session of sessions) session.destroy()
    }
  }
}
