import type { Server } from "node:http"
import type { Socket } from "node:net"
import { PlainConnection, type PlainServer } from "@rollcall/streams/http1"
import type { Closer, Connection, Connections } from "./Connections.ts"
import type { HttpRequest, HttpResponse } from "./HttpPort.ts"
import { http1Refusal } from "./http1Refusals.ts"
import { nodeHttp } from "./nodeHttp.ts"

export interface PlainParts {
  readonly connections: Connections
  readonly handle: (request: HttpRequest, response: HttpResponse) => void
  readonly dateLine: () => string
  /** Node's own listener for connections. */
  readonly nodeListener: ((this: Server, socket: Socket) => void) | undefined
  readonly closerOf: (socket: Socket) => Closer
}

/** Returns a function that serves a connection of HTTP/1: as a plain one as long as its requests are, then by Node's server. */
export const acceptPlain = (
  server: Server,
  { closerOf, connections, dateLine, handle, nodeListener }: PlainParts
): ((socket: Socket, connection: Connection | undefined) => void) => {
  const shared: Omit<PlainServer, "handOver"> = {
    handle,
    refuses: ({ rawHeaders }) => http1Refusal({ httpVersionMinor: 1, rawHeaders }) !== undefined,
    statusTexts: nodeHttp.STATUS_CODES,
    commonLines: dateLine,
    keepAliveSeconds: server.keepAliveTimeout / 1000
  }
  return (socket, connection) => {
    const handOver = (_: Socket, bytes: Buffer) => {
      if (connection !== undefined) connections.bind(socket, connection, closerOf(socket))
      nodeListener?.call(server, socket)
      // Node's parser reads from the connection itself, but not what has been read.
      socket.emit("data", bytes)
    }
    const { finish } = new PlainConnection(socket, { ...shared, handOver })
    if (connection !== undefined) connections.bind(socket, connection, { ...closerOf(socket), finish })
  }
}
