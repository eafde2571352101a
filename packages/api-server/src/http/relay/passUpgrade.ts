import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { takeConnection, type UpgradeConnection } from "@rollcall/streams"
import type { Call } from "../call/Call.ts"

const SWITCHING = 101

const headOf = ({ rawHeaders, statusMessage = "Switching Protocols" }: IncomingMessage): string => {
  const lines = [`HTTP/1.1 ${SWITCHING} ${statusMessage}`]
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`)
  }
  return `${lines.join("\r\n")}\r\n\r\n`
}

/** Connects the two sides; when one ends, so does the other. */
const join = (left: Duplex, right: Duplex): void => {
  left.pipe(right)
  right.pipe(left)
  for (const [side, other] of [
    [left, right],
    [right, left]
  ] as const) {
    side.on("error", () => other.destroy())
    side.on("close", () => other.destroy())
  }
}

/** Passes an agreed upgrade back: from then on, bytes go both ways. Upstream: apimachinery/pkg/util/proxy/upgradeaware.go. */
export const passUpgrade = (
  call: Call,
  client: UpgradeConnection,
  answer: IncomingMessage,
  server: Duplex,
  head: Buffer
): void => {
  const { socket } = client
  takeConnection(call.response, client)
  call.done(SWITCHING)
  socket.setTimeout(0)
  socket.write(headOf(answer), "latin1")
  if (head.length > 0) socket.write(head)
  if (client.head.length > 0) server.write(client.head)
  join(socket, server)
}
