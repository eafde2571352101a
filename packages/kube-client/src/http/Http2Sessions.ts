import http2 from "node:http2"
import tls from "node:tls"
import type { TimersShape } from "@rollcall/time"

/** The maximum of streams in one session; servers written in Go allow 100 to 1000. */
const STREAMS = 100
/** Upstream: client-go's HTTP2_READ_IDLE_TIMEOUT_SECONDS and HTTP2_PING_TIMEOUT_SECONDS. */
const PING_MS = 30_000
const PONG_MS = 15_000
/** The timeout of a connection and its handshake. Upstream: apimachinery/pkg/util/net/http.go, net.Dialer. */
const CONNECT_MS = 30_000

interface Session {
  readonly session: http2.ClientHttp2Session
  streams: number
}

export interface SessionTaker {
  readonly ready: (stream: http2.ClientHttp2Stream) => void
  readonly failed: (error: unknown) => void
  /** The server supports HTTP/1.1 only. */
  readonly unsupported: () => void
}

interface Waiting {
  readonly headers: http2.OutgoingHttpHeaders
  readonly taker: SessionTaker
}

/** HTTP/2 to one server: many watches over few connections, each checked with pings. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the life of one session: its functions share the session and its timers.
export const http2Sessions = (authority: string, options: tls.ConnectionOptions, timers: TimersShape) => {
  const sessions = new Set<Session>()
  let waiting: Array<Waiting> = []
  let isConnecting = false
  let isUnsupported = false

  const settle = (act: (one: Waiting) => void) => {
    const all = waiting
    waiting = []
    for (const one of all) act(one)
  }

  const watchOver = (held: Session) => {
    const { session } = held
    const ping = () => {
      if (session.closed || session.destroyed) return
      const deadline = timers.after(PONG_MS, () => session.destroy())
      const isSent = session.ping((error) => {
        timers.cancel(deadline)
        if (error === null) timers.after(PING_MS, ping)
      })
      if (!isSent) timers.cancel(deadline)
    }
    timers.after(PING_MS, ping)
    session.on("error", () => sessions.delete(held))
    session.on("goaway", () => sessions.delete(held))
    session.on("close", () => sessions.delete(held))
  }

  const open = (held: Session, { headers, taker }: Waiting) => {
    let stream: http2.ClientHttp2Stream
    try {
      stream = held.session.request(headers)
    } catch (error) {
      // A header is invalid, or the session has just closed.
      taker.failed(error)
      return
    }
    held.streams++
    stream.on("close", () => {
      held.streams--
      // As with the HTTP/1.1 agents, an unused session does not keep the process running.
      if (held.streams === 0) held.session.unref()
    })
    held.session.ref()
    taker.ready(stream)
  }

  const free = (): Session | undefined => {
    for (const held of sessions)
      if (held.streams < STREAMS && !held.session.closed && !held.session.destroyed) return held
    return undefined
  }

  const serve = () => {
    while (waiting.length > 0) {
      const held = free()
      if (held === undefined) return connect()
      const one = waiting.shift()
      if (one !== undefined) open(held, one)
    }
  }

  const connect = () => {
    if (isConnecting) return
    isConnecting = true
    const socket = tls.connect({ ...options, ALPNProtocols: ["h2", "http/1.1"] })
    const deadline = timers.after(CONNECT_MS, () => {
      socket.destroy(new Error(`no connection in ${CONNECT_MS} ms`))
    })
    const fail = (error: Error) => {
      timers.cancel(deadline)
      isConnecting = false
      settle(({ taker }) => taker.failed(error))
    }
    socket.once("error", fail)
    socket.once("secureConnect", () => {
      timers.cancel(deadline)
      socket.off("error", fail)
      isConnecting = false
      if (socket.alpnProtocol !== "h2") {
        isUnsupported = true
        socket.destroy()
        settle(({ taker }) => taker.unsupported())
        return
      }
      const held = { session: http2.connect(authority, { createConnection: () => socket }), streams: 0 }
      sessions.add(held)
      watchOver(held)
      serve()
    })
  }

  return {
    request: (headers: http2.OutgoingHttpHeaders, taker: SessionTaker): void => {
      if (isUnsupported) taker.unsupported()
      else {
        waiting.push({ headers, taker })
        serve()
      }
    },
    close: () => {
      for (const { session } of sessions) session.destroy()
      sessions.clear()
      settle(({ taker }) => taker.failed(new Error("the client is closed")))
    }
  }
}

export type Http2Sessions = ReturnType<typeof http2Sessions>
