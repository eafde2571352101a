import { connect, type Socket } from "node:net"
import { SpdyClient } from "@rollcall/streams/testing"
import * as Effect from "effect/Effect"

interface Asked {
  readonly path: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly method?: string
  /** Called once the server has agreed. */
  readonly talk?: (client: SpdyClient, socket: Socket) => void
  /** Called after everything that was read. */
  readonly heard?: (client: SpdyClient, socket: Socket) => void
}

const asking = {
  Host: "x",
  Connection: "Upgrade",
  Upgrade: "SPDY/3.1",
  "X-Stream-Protocol-Version": "v4.channel.k8s.io",
  Authorization: "Bearer admin",
  "Content-Length": "0"
}

/** Talks to a server until it closes. */
export const talkSpdy = (open: () => Socket, { headers, heard, method = "POST", path, talk }: Asked) =>
  Effect.callback<{ readonly head: string; readonly client: SpdyClient; readonly body: string }>((resume) => {
    const socket = open()
    const client = new SpdyClient((bytes) => void socket.write(bytes))
    let head: string | undefined
    let received = Buffer.alloc(0)
    const lines = Object.entries({ ...asking, ...headers }).filter(([, value]) => value !== undefined)
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`)
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      if (head === undefined) {
        const end = received.indexOf("\r\n\r\n")
        if (end < 0) return
        head = received.toString("latin1", 0, end)
        received = received.subarray(end + 4)
        if (head.includes(" 101 ")) talk?.(client, socket)
      }
      if (!head.includes(" 101 ")) return
      client.read(received)
      received = Buffer.alloc(0)
      heard?.(client, socket)
    })
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed({ head: head ?? "", client, body: received.toString() })))
    return Effect.sync(() => socket.destroy())
  }).pipe(Effect.timeout("10 seconds"))

export const plain = (port: number) => (): Socket => connect({ port, host: "127.0.0.1" })
