import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** The connection of a request that may become one of another protocol. */
export interface UpgradeConnection {
  readonly socket: Socket
  /** What the client sent after the request. */
  readonly head: Buffer
}

const connections = new WeakMap<object, UpgradeConnection>()

/** Remembers the connection of a request whose upgrade is left to its handler. */
export const offerUpgrade = (request: object, connection: UpgradeConnection): void => {
  connections.set(request, connection)
}

/** Returns the connection of a request that asks for another protocol, where the handler may agree to that. */
export const upgradeOf = (request: object): UpgradeConnection | undefined => connections.get(request)

/**
 * Takes the connection away from the response, which then only ends with it; what goes over the connection from now on is
 * left to the caller.
 */
export const takeConnection = (response: object, { socket }: UpgradeConnection): void => {
  const own = response as ServerResponse
  own.detachSocket(socket)
  socket.on("close", () => own.emit("close"))
}
