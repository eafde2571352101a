import type { IncomingHttpHeaders } from "node:http"
import { afterOthers } from "../turns.ts"
import type { UpgradeConnection } from "../upgrades.ts"
import { closeSoon } from "../webSocket/webSocket.ts"
import { SpdySession, type SpdySessionOptions } from "./SpdySession.ts"

/*
 * The change of a connection to SPDY. Upstream: streaming/pkg/httpstream/httpstream.go, Handshake, and
 * streaming/pkg/httpstream/spdy/upgrade.go.
 */

/** What a client may leave unread before its connection is read no further. */
export const MAX_UNREAD_BYTES = 256 * 1024

export interface SpdyAgreement {
  readonly protocol: string
  /** The answer that changes the protocol. */
  readonly head: string
}

export interface SpdyRefusal {
  readonly code: 400 | 403
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

export const refusedUpgrade = (code: 400 | 403, text: string, headers: SpdyRefusal["headers"] = {}): SpdyRefusal => ({
  code,
  text,
  headers: { ...headers, "X-Content-Type-Options": "nosniff" }
})

const refusal = (code: 400 | 403, why: string, headers?: SpdyRefusal["headers"]): SpdyRefusal =>
  refusedUpgrade(code, `unable to upgrade: ${why}\n`, headers)

const HEADER = "X-Stream-Protocol-Version"

/** Agrees to SPDY with the first protocol of the client that is served, or says why not. */
export const agreeToSpdy = (
  headers: IncomingHttpHeaders,
  served: ReadonlyArray<string>
): SpdyAgreement | SpdyRefusal => {
  const asked = headers["x-stream-protocol-version"]
  if (asked === undefined) {
    const count = Object.keys(headers).length
    return refusal(400, `header ${HEADER} does not exist in request with ${count} headers`)
  }
  const names = String(asked).split(/[, ]+/).filter(Boolean)
  if (names.length === 0) return refusal(400, `header ${HEADER} contains [${asked}], but no valid protocols`)
  const protocol = names.find((name) => served.includes(name))
  if (protocol === undefined) {
    const why = `unable to negotiate protocol: client supports [${names.join(" ")}], server accepts [${served.join(" ")}]`
    return refusal(403, why, { "X-Accepted-Stream-Protocol-Versions": served.join(", ") })
  }
  const { connection = "", upgrade = "" } = headers
  if (!connection.toLowerCase().includes("upgrade") || !upgrade.toLowerCase().includes("spdy/3.1")) {
    return refusal(400, "missing upgrade headers in request")
  }
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Connection: Upgrade",
    "Upgrade: SPDY/3.1",
    `${HEADER}: ${protocol}`
  ]
  return { protocol, head: `${lines.join("\r\n")}\r\n\r\n` }
}

/** A connection with streams of its client. */
export interface SpdyConnection {
  /** Begins to read; called once. */
  readonly begin: (options: SpdySessionOptions) => void
  /** Ends it, once everything that was written is sent. */
  readonly finish: () => void
  /** Whether much that was written is unread. */
  readonly isFull: () => boolean
  /** Ends it when nothing happens on it for so long. */
  readonly expireAfter: (ms: number) => void
}

export interface SpdyConnectionOptions {
  readonly upgrade: UpgradeConnection
  /** Runs the handling of what the client sends; an exception ends the connection only. */
  readonly guard: (act: () => void) => void
  /** Returns bytes as the connection carries them, and reads what it carries. By default these are the bytes. */
  readonly wrap?: {
    readonly written: (bytes: Buffer) => Buffer
    readonly last: Buffer
    readonly reader: (handlers: CarriedHandlers) => (chunk: Buffer) => void
  }
}

interface CarriedHandlers {
  readonly read: (bytes: Buffer) => void
  readonly end: () => void
  /** Writes bytes as they are. */
  readonly answer: (bytes: Buffer) => void
}

/** Returns the connection of a client that was told of the change, without reading it yet. */
export const spdyConnection = ({ guard, upgrade, wrap }: SpdyConnectionOptions): SpdyConnection => {
  const { head, socket } = upgrade
  let session: SpdySession | undefined
  const answer = (bytes: Buffer) => {
    if (socket.writable) socket.write(bytes)
  }
  const write = (bytes: Buffer) => answer(wrap === undefined ? bytes : wrap.written(bytes))
  const close = () => {
    if (wrap !== undefined) answer(wrap.last)
    closeSoon(socket)
  }
  const finish = () => session?.finish()
  let isHeld = false
  /** Answers to a client that sends and does not read would fill the memory. */
  const readOn = () => {
    if (isHeld || socket.writableLength > MAX_UNREAD_BYTES) socket.pause()
    else socket.resume()
  }
  const handling = (act: () => void) =>
    guard(() => {
      // Each write by itself would be a packet.
      socket.cork()
      try {
        act()
      } finally {
        socket.uncork()
      }
      readOn()
    })
  const later = (act: () => void) => {
    isHeld = true
    afterOthers(() =>
      handling(() => {
        isHeld = false
        act()
      })
    )
  }
  const begin = (options: SpdySessionOptions) => {
    const opened = new SpdySession({ write, close, later }, options)
    session = opened
    const toSession = (bytes: Buffer) => opened.read(bytes)
    const receive = wrap === undefined ? toSession : wrap.reader({ answer, end: finish, read: toSession })
    const read = (chunk: Buffer) => {
      later(() => receive(chunk))
      socket.pause()
    }
    socket.on("drain", readOn)
    socket.on("data", read)
    // What was read before waits for its turn.
    socket.on("end", () => afterOthers(() => guard(() => opened.end())))
    socket.on("close", () => guard(() => opened.close()))
    if (head.length > 0) read(head)
  }
  return {
    begin,
    finish,
    isFull: () => socket.writableLength > MAX_UNREAD_BYTES,
    expireAfter: (ms) => {
      socket.removeAllListeners("timeout")
      socket.setTimeout(ms, () => socket.destroy())
    }
  }
}
