import type { AddressInfo, Server, Socket } from "node:net"
import * as Effect from "effect/Effect"

/** Listens on a free port of this machine, and returns the port. Closed with its sockets when the scope closes. */
export const listenForTest = (server: Server) =>
  Effect.acquireRelease(
    Effect.callback<ReadonlySet<Socket>>((resume) => {
      const sockets = new Set<Socket>()
      server.on("connection", (socket: Socket) => {
        sockets.add(socket)
        socket.on("error", () => undefined)
        socket.on("close", () => sockets.delete(socket))
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(sockets)))
    }),
    (sockets) =>
      Effect.sync(() => {
        server.close()
        for (const socket of sockets) socket.destroy()
      })
  ).pipe(Effect.map(() => (server.address() as AddressInfo).port))
