import { createServer, type Http2ServerResponse, type ServerHttp2Session } from "node:http2"
import type { TLSSocket } from "node:tls"
import type { HttpRequest, HttpResponse } from "./HttpPort.ts"

/** Connections that agreed on HTTP/2: kubectl's, client-go's, and fleets that share one for all their watches. */
export interface Http2Side {
  readonly take: (socket: TLSSocket) => void
  /** No more requests; those under way are answered. */
  readonly close: () => void
  readonly destroy: () => void
}

/** Upstream: apiserver/pkg/server/secure_serving.go has 250; fleets have thousands of watches on few connections. */
const MAX_STREAMS = 1000
/** What a connection may have in flight, in MB: lists are large, and many may be asked for at once. */
const MAX_SESSION_MEMORY = 64

/** What the compatibility layer has, and its types leave out. */
type Whole = Http2ServerResponse & Pick<HttpResponse, "destroyed" | "flushHeaders">
type Handle = (request: HttpRequest, response: HttpResponse) => void

/** Streams have no timeout of their own: bodies have a deadline where they are read, and a quiet watch lives. */
export const http2Side = (handle: Handle): Http2Side => {
  const sessions = new Set<ServerHttp2Session>()
  const server = createServer(
    { maxSessionMemory: MAX_SESSION_MEMORY, settings: { maxConcurrentStreams: MAX_STREAMS } },
    (request, response) => handle(request, response as Whole)
  )
  server.on("session", (session) => {
    sessions.add(session)
    session.on("close", () => sessions.delete(session))
    // A client that breaks the protocol has its own connection broken, and that is all.
    session.on("error", () => session.destroy())
  })
  server.on("sessionError", () => {})
  return {
    take: (socket) => {
      server.emit("connection", socket)
    },
    close: () => {
      for (const session of sessions) session.close()
    },
    destroy: () => {
      for (const session of sessions) session.destroy()
    }
  }
}
