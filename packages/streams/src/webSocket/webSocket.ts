import { createHash } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { Socket } from "node:net"
import { splitUrl } from "@rollcall/api/validation"

/*
 * The opening of WebSocket connections. Upstream: golang.org/x/net/websocket/{server,hybi}.go, with the refusals of its
 * `Handler`, and streaming/pkg/httpstream/wsstream.
 */

/** The key by which a server proves that it has read the request (RFC 6455, 1.3). */
const ACCEPT_KEY = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

const refusal = (line: string, text = "", header = ""): string => `HTTP/1.1 ${line}\r\n${header}\r\n${text}`

/** The start of a response: that of a WebSocket if `isOpen`; otherwise it is all that the client gets. */
export interface Handshake {
  readonly isOpen: boolean
  readonly head: string
}

/**
 * Returns the answer to a request for a WebSocket. `header` is the rest of `Sec-WebSocket-Protocol`: one subprotocol is
 * agreed to, of several none.
 */
export const handshakeOf = (headers: IncomingHttpHeaders, header: string): Handshake => {
  const refused = (head: string): Handshake => ({ isOpen: false, head })
  const { origin = "", "sec-websocket-key": key = "", "sec-websocket-version": version } = headers
  if (key === "") return refused(refusal("400 Bad Request", "mismatch challenge/response"))
  if (version !== "13") {
    return refused(refusal("400 Bad Request", "missing or bad WebSocket Version", "Sec-WebSocket-Version: 13\r\n"))
  }
  if (origin === "" || typeof splitUrl(origin, true) === "string") return refused(refusal("403 Forbidden"))
  const protocols = header.trim() === "" ? [] : header.split(",").map((protocol) => protocol.trim())
  if (protocols.length > 1) return refused(refusal("400 Bad Request"))
  return { isOpen: true, head: switching(key, protocols) }
}

const switching = (key: string, protocols: ReadonlyArray<string>): string => {
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${createHash("sha1")
      .update(key + ACCEPT_KEY)
      .digest("base64")}`,
    ...protocols.map((protocol) => `Sec-WebSocket-Protocol: ${protocol}`)
  ]
  return `${lines.join("\r\n")}\r\n\r\n`
}

/** Returns the start of a WebSocket with this subprotocol, for any origin; undefined if the request is none. */
export const acceptHead = (headers: IncomingHttpHeaders, protocol: string): string | undefined => {
  const { "sec-websocket-key": key = "", "sec-websocket-version": version } = headers
  return key === "" || version !== "13" ? undefined : switching(key, [protocol])
}

/** Refuses the subprotocols of a request, as a handshake of golang.org/x/net/websocket that fails. */
export const refuseHandshake = (socket: Socket): void => {
  socket.write(refusal("403 Forbidden"), "latin1")
  closeSoon(socket)
}

/** How long a client may take to read what was written before the connection ended. */
const LINGER_MS = 10_000

/** Closes the connection once its data is sent, whether the client closes its side or not. */
export const closeSoon = (socket: Socket): void => {
  socket.setTimeout(LINGER_MS, () => socket.destroy())
  socket.destroySoon()
}
