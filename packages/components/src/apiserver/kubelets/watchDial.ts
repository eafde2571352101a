import type { ClientRequest } from "node:http"
import type { Socket } from "node:net"
import type { Timer, TimersShape } from "@rollcall/time"

interface DialLimits {
  readonly dialMs: number
  readonly handshakeMs: number
  /** The address, as `host:port`. */
  readonly dialled: string
}

/** The end of a dial by this side. */
class DialError extends Error {
  override readonly name = "DialError"
}

/** Ends a request whose connection does not come about in time. Upstream: Go's net.Dialer, http.Transport. */
export const watchDial = (timers: TimersShape, sent: ClientRequest, { dialled, dialMs, handshakeMs }: DialLimits) => {
  let timer: Timer | undefined
  const stop = () => {
    if (timer !== undefined) timers.cancel(timer)
    timer = undefined
  }
  const begin = (ms: number, why: string) => {
    stop()
    timer = timers.after(ms, () => sent.destroy(new DialError(why)))
  }
  sent.on("socket", (socket: Socket) => {
    // A connection that was kept is there already.
    if (!socket.connecting) return
    begin(dialMs, `dial tcp ${dialled}: i/o timeout`)
    socket.once("connect", () => {
      if ("encrypted" in socket) begin(handshakeMs, "net/http: TLS handshake timeout")
      else stop()
    })
    socket.once("secureConnect", stop)
    socket.once("close", stop)
  })
  sent.once("close", stop)
}
