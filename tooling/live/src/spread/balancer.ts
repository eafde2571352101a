import { connect, createServer, type Socket } from "node:net"
import * as Effect from "effect/Effect"

/** Joins two sockets; each ends with the other. */
const join = (one: Socket, other: Socket) => {
  one.pipe(other)
  other.pipe(one)
  for (const [from, to] of [
    [one, other],
    [other, one]
  ] as const) {
    from.on("error", () => to.destroy())
    from.on("close", () => to.destroy())
  }
}

/**
 * A plain TCP balancer on loopback: each connection goes to the next of the ports that accepts it. It looks at nothing that it
 * carries. Returns its port; the scope closes it.
 */
export const startBalancer = (ports: ReadonlyArray<number>) => {
  const open = new Set<Socket>()
  let turn = 0
  const serve = (client: Socket, tried: number) => {
    if (tried === ports.length || client.destroyed) return void client.destroy()
    const server = connect(ports[turn++ % ports.length] ?? 0, "127.0.0.1")
    const next = () => serve(client, tried + 1)
    server.once("error", next)
    server.once("connect", () => {
      server.off("error", next)
      join(client, server)
    })
  }
  const balancer = createServer((client) => {
    open.add(client)
    client.on("error", () => {})
    client.on("close", () => open.delete(client))
    serve(client, 0)
  })
  return Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      balancer.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed((balancer.address() as { readonly port: number }).port))
      )
    }),
    () =>
      Effect.sync(() => {
        balancer.close()
        for (const socket of open) socket.destroy()
      })
  )
}
