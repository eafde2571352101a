import { createServer, Http2ServerRequest, Http2ServerResponse, type ServerHttp2Session } from "node:http2"
import type { TLSSocket } from "node:tls"
import type { Connection, Connections } from "./Connections.ts"
import type { HttpRequest, HttpResponse } from "./HttpPort.ts"

/**
 * Serves the connections that negotiated HTTP/2: kubectl's, client-go's, and those of fleets, which share a few for all
 * their watches.
 */
export interface Http2Server {
  /** Serves a connection that the TLS server accepted. */
  readonly accept: (socket: TLSSocket, connection: Connection | undefined) => void
  /** Refuses new requests; those in progress are answered. */
  readonly close: () => void
  readonly destroy: () => void
}

/** The memory limit of a session in MB: lists are large, and many may be requested at once. */
const MAX_SESSION_MEMORY = 64
const MAX_HEADER_BYTES = 64 * 1024
const MAX_STREAMS = 250
const MAX_HEADERS = 200

/**
 * Limits against attacks on HTTP/2, mostly Node's defaults, set explicitly so that a change of defaults cannot weaken
 * them. 250 streams per connection, the default of Go's server. A client that resets streams faster than they are
 * served (CVE-2023-44487), sends invalid frames, or floods with PING or SETTINGS loses its connection.
 */
const limits = {
  maxSessionMemory: MAX_SESSION_MEMORY,
  maxHeaderListPairs: MAX_HEADERS,
  maxOutstandingPings: 10,
  maxSettings: 32,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  // All its concurrent streams, once; Node allows four times as many, a second of work for twenty connections.
  streamResetBurst: MAX_STREAMS,
  streamResetRate: 33,
  settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEADER_BYTES, enablePush: false }
}

/** The response of the compatibility layer. */
class Response extends Http2ServerResponse {}

// Its type declares `destroyed`, but the property is missing. Its stream has it, which the client may have reset.
Object.defineProperty(Response.prototype, "destroyed", {
  get(this: Response) {
    return this.stream.destroyed
  }
})

/** Members of the compatibility layer that its types omit. */
type FullResponse = Response & Pick<HttpResponse, "flushHeaders">
type Handle = (request: HttpRequest, response: HttpResponse) => void

/**
 * Makes the HTTP/2 server, which does not listen itself. Its streams have no timeout: bodies have a deadline in
 * `BodyReader`, and an idle watch stays open.
 */
export const makeHttp2Server = (handle: Handle, connections: Connections): Http2Server => {
  const sessions = new Set<ServerHttp2Session>()
  const classes = { Http2ServerRequest, Http2ServerResponse: Response }
  const server = createServer({ ...limits, ...classes }, (request, response) =>
    handle(request, response as FullResponse)
  )
  let accepted: Connection | undefined
  server.on("session", (session) => {
    sessions.add(session)
    const closer = { destroy: () => session.destroy(), close: () => session.close() }
    if (accepted !== undefined) connections.bind(session, accepted, closer)
    session.on("close", () => sessions.delete(session))
    // A protocol error of a client only breaks its own connection.
    session.on("error", () => session.destroy())
  })
  server.on("sessionError", () => {})
  return {
    accept: (socket, connection) => {
      // The session is created within the call.
      accepted = connection
      server.emit("connection", socket)
      accepted = undefined
    },
    close: () => {
      for (const session of sessions) session.close()
    },
    destroy: () => {
      for (const session of sessions) session.destroy()
    }
  }
}
