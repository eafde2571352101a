import type { Server, Socket } from "node:net"
import type { Closer, Connection, Connections } from "./Connections.ts"

/** A client may reach two ports of this machine from the same one. */
const addressOf = ({ localPort, remoteAddress, remotePort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localPort}`

/**
 * Registers the connections of a server with TLS from their first packet on. Returns a function that returns the
 * connection of a socket whose handshake is over, by which requests then refer to it.
 */
export const trackSecureConnections = (
  server: Server,
  connections: Connections,
  closerOf: (socket: Socket) => Closer
): ((socket: Socket) => Connection | undefined) => {
  /** By the client's address: TLS creates its own socket over the accepted one. */
  const opened = new Map<string, Connection>()
  server.on("connection", (socket: Socket) => {
    const address = addressOf(socket)
    const connection = connections.add(closerOf(socket))
    opened.set(address, connection)
    socket.on("close", () => {
      opened.delete(address)
      connections.remove(connection)
    })
  })
  return (socket) => {
    const connection = opened.get(addressOf(socket))
    if (connection !== undefined) connections.bind(socket, connection, closerOf(socket))
    return connection
  }
}
