import http2 from "node:http2"
import tls from "node:tls"
import type { TimersShape } from "@rollcall/time"

/** The maximum of streams in one session; servers written in Go allow 100 to 1000. */
const MAX_STREAMS = 100
/** Upstream: client-go's HTTP2_READ_IDLE_TIMEOUT_SECONDS and HTTP2_PING_TIMEOUT_SECONDS. */
const PING_IDLE_MS = 30_000
const PING_TIMEOUT_MS = 15_000
/** The timeout of a connection and its handshake. Upstream: apimachinery/pkg/util/net/http.go, net.Dialer. */
const CONNECT_TIMEOUT_MS = 30_000

interface Session {
  readonly session: http2.ClientHttp2Session
  streams: number
}

export interface StreamReceiver {
  readonly ready: (stream: http2.ClientHttp2Stream) => void
  readonly failed: (error: unknown) => void
  /** Called if the server supports HTTP/1.1 only. */
  readonly unsupported: () => void
}

interface PendingRequest {
  readonly headers: http2.OutgoingHttpHeaders
  readonly receiver: StreamReceiver
}

/** HTTP/2 to one server: many watches over few connections, each checked with pings. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the life of one session: its functions share the session and its timers.
export const http2Sessions = (authority: string, options: tls.ConnectionOptions, timers: TimersShape) => {
  const sessions = new Set<Session>()
  let pending: Array<PendingRequest> = []
  let isConnecting = false
  let isUnsupported = false

  /** Removes all pending requests, and calls `act` with each. */
  const takeAllPending = (act: (request: PendingRequest) => void) => {
    const all = pending
    pending = []
    for (const request of all) act(request)
  }

  const keepAlive = (entry: Session) => {
    const { session } = entry
    const ping = () => {
      if (session.closed || session.destroyed) return
      const deadline = timers.after(PING_TIMEOUT_MS, () => session.destroy())
      const isSent = session.ping((error) => {
        timers.cancel(deadline)
        if (error === null) timers.after(PING_IDLE_MS, ping)
      })
      if (!isSent) timers.cancel(deadline)
    }
    timers.after(PING_IDLE_MS, ping)
    session.on("error", () => sessions.delete(entry))
    session.on("goaway", () => sessions.delete(entry))
    session.on("close", () => sessions.delete(entry))
  }

  const open = (entry: Session, { headers, receiver }: PendingRequest) => {
    let stream: http2.ClientHttp2Stream
    try {
      stream = entry.session.request(headers)
    } catch (error) {
      // A header is invalid, or the session has just closed.
      receiver.failed(error)
      return
    }
    entry.streams++
    stream.on("close", () => {
      entry.streams--
      // As with the HTTP/1.1 agents, an unused session does not keep the process running.
      if (entry.streams === 0) entry.session.unref()
    })
    entry.session.ref()
    receiver.ready(stream)
  }

  const findFreeSession = (): Session | undefined => {
    for (const entry of sessions)
      if (entry.streams < MAX_STREAMS && !entry.session.closed && !entry.session.destroyed) return entry
    return undefined
  }

  const openPending = () => {
    while (pending.length > 0) {
      const entry = findFreeSession()
      if (entry === undefined) return connect()
      const request = pending.shift()
      if (request !== undefined) open(entry, request)
    }
  }

  const connect = () => {
    if (isConnecting) return
    isConnecting = true
    const socket = tls.connect({ ...options, ALPNProtocols: ["h2", "http/1.1"] })
    const deadline = timers.after(CONNECT_TIMEOUT_MS, () => {
      socket.destroy(new Error(`no connection in ${CONNECT_TIMEOUT_MS} ms`))
    })
    const fail = (error: Error) => {
      timers.cancel(deadline)
      isConnecting = false
      takeAllPending(({ receiver }) => receiver.failed(error))
    }
    socket.once("error", fail)
    socket.once("secureConnect", () => {
      timers.cancel(deadline)
      socket.off("error", fail)
      isConnecting = false
      if (socket.alpnProtocol !== "h2") {
        isUnsupported = true
        socket.destroy()
        takeAllPending(({ receiver }) => receiver.unsupported())
        return
      }
      const entry = { session: http2.connect(authority, { createConnection: () => socket }), streams: 0 }
      sessions.add(entry)
      keepAlive(entry)
      openPending()
    })
  }

  return {
    request: (headers: http2.OutgoingHttpHeaders, receiver: StreamReceiver): void => {
      if (isUnsupported) receiver.unsupported()
      else {
        pending.push({ headers, receiver })
        openPending()
      }
    },
    close: () => {
      for (const { session } of sessions) session.destroy()
      sessions.clear()
      takeAllPending(({ receiver }) => receiver.failed(new Error("the client is closed")))
    }
  }
}

export type Http2Sessions = ReturnType<typeof http2Sessions>
