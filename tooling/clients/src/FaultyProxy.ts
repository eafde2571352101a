import { connect, createServer, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** A TCP proxy that can break its connections. */
export interface FaultyProxy {
  readonly port: number
  /** Returns the number of connections that clients have opened so far, including refused ones. */
  readonly connectionsOpened: () => number
  /** Cuts every open connection, possibly in the middle of a message. */
  readonly cutConnections: () => void
  /** While true, the proxy resets new connections at once. */
  refusesConnections: boolean
  /** Called for each new connection: returns the number of bytes from the server after which it breaks, or undefined for never. */
  breakAfterBytes: () => number | undefined
}

/** Starts a proxy on a free local port that forwards to the local port `port` until the scope closes. */
export const startFaultyProxy = (port: number): Effect.Effect<FaultyProxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    let connectionsOpened = 0
    const closeTogether = (socket: Socket, other: Socket) => {
      sockets.add(socket)
      socket.on("error", () => undefined)
      socket.on("close", () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    const server = createServer((client) => {
      connectionsOpened++
      if (proxy.refusesConnections) {
        client.resetAndDestroy()
        return
      }
      const upstream = connect(port, "127.0.0.1")
      closeTogether(client, upstream)
      closeTogether(upstream, client)
      let bytesLeft = proxy.breakAfterBytes()
      client.pipe(upstream)
      upstream.on("data", (chunk: Buffer) => {
        if (bytesLeft === undefined) {
          client.write(chunk)
          return
        }
        client.write(chunk.subarray(0, bytesLeft))
        bytesLeft -= chunk.length
        if (bytesLeft <= 0) client.destroy()
      })
      upstream.on("end", () => client.end())
    })
    const cutConnections = () => {
      for (const socket of sockets) socket.destroy()
    }
    const proxy: FaultyProxy = {
      port: 0, // replaced once the server listens
      connectionsOpened: () => connectionsOpened,
      cutConnections,
      refusesConnections: false,
      breakAfterBytes: () => undefined
    }
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          cutConnections()
        })
    )
    return Object.assign(proxy, { port: (server.address() as { readonly port: number }).port })
  })
