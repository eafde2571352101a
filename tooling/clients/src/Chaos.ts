import { connect, createServer, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** A TCP proxy that can break its connections. */
export interface Chaos {
  readonly port: number
  /** Returns the number of connections opened so far. */
  readonly opened: () => number
  /** Cuts every open connection, possibly in the middle of a message. */
  readonly cut: () => void
  /** While true, new connections are closed at once. */
  refuse: boolean
  /** Returns after how many bytes of the server a connection breaks; 0: never. */
  breakAfterBytes: () => number
}

/** Forwards TCP to a local port until the scope closes. */
export const chaosTo = (port: number): Effect.Effect<Chaos, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    let opened = 0
    const follow = (socket: Socket, other: Socket) => {
      sockets.add(socket)
      socket.on("error", () => undefined)
      socket.on("close", () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    const server = createServer((client) => {
      opened++
      if (chaos.refuse) {
        client.resetAndDestroy()
        return
      }
      const upstream = connect(port, "127.0.0.1")
      follow(client, upstream)
      follow(upstream, client)
      const limit = chaos.breakAfterBytes()
      let left = limit
      client.pipe(upstream)
      upstream.on("data", (chunk: Buffer) => {
        if (limit === 0) {
          client.write(chunk)
          return
        }
        client.write(chunk.subarray(0, left))
        left -= chunk.length
        if (left <= 0) client.destroy()
      })
      upstream.on("end", () => client.end())
    })
    const cut = () => {
      for (const socket of sockets) socket.destroy()
    }
    const chaos: Chaos = { port: 0, opened: () => opened, cut, refuse: false, breakAfterBytes: () => 0 }
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          cut()
        })
    )
    return Object.assign(chaos, { port: (server.address() as { readonly port: number }).port })
  })
