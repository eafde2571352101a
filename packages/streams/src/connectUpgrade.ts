import { type ChannelsRequest, openChannels } from "./commands/channels.ts"
import { connectSpdyCommand, spdyCommandProtocols } from "./commands/spdyCommand.ts"
import type { KubeletPorts, KubeletStream } from "./KubeletStream.ts"
import { openPortChannels } from "./ports/portChannels.ts"
import { requestedPorts } from "./ports/ports.ts"
import { connectSpdyPorts, spdyPortProtocols } from "./ports/spdyPorts.ts"
import { tunnelHead, tunnelledProtocols, tunnelWrap } from "./ports/tunnel.ts"
import { agreeToSpdy, refusedUpgrade, type SpdyRefusal, spdyConnection } from "./spdy/spdyConnection.ts"
import { isPorts } from "./streamKinds.ts"
import { isWebSocketRequest } from "./webSocket/webSocketRequest.ts"

const SWITCHING = 101

/** Connects a client to ports over a WebSocket. */
const webSocketToPorts = (
  request: ChannelsRequest,
  ports: KubeletPorts,
  asked: ReadonlyArray<string> | undefined
): SpdyRefusal | undefined => {
  const { answered, guard, headers, sent, subprotocols, upgrade } = request
  const tunnelled = tunnelledProtocols(String(subprotocols ?? headers["sec-websocket-protocol"] ?? ""))
  if (tunnelled.length === 0) {
    const named = requestedPorts(asked)
    if (typeof named === "string") return refusedUpgrade(400, named)
    openPortChannels(request, named, ports)
    return undefined
  }
  const spdy = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": tunnelled.join(",") }
  const agreed = agreeToSpdy(spdy, spdyPortProtocols)
  if ("code" in agreed) return agreed
  const head = tunnelHead(headers, agreed.protocol)
  if (head === undefined) return refusedUpgrade(400, "Bad Request\n")
  answered(SWITCHING)
  upgrade.socket.write(head, "latin1")
  connectSpdyPorts(spdyConnection({ upgrade, guard, wrap: tunnelWrap }), ports, sent)
  return undefined
}

/**
 * Connects a client that asked for another protocol to a command or to ports, over a WebSocket or SPDY. Returns the
 * refusal that the caller sends; the connection is then as it was.
 */
export const connectUpgrade = (
  request: ChannelsRequest,
  target: KubeletStream | KubeletPorts,
  ports: ReadonlyArray<string> | undefined
): SpdyRefusal | undefined => {
  const { answered, guard, headers, sent, upgrade } = request
  if (isWebSocketRequest(headers)) {
    if (isPorts(target)) return webSocketToPorts(request, target, ports)
    openChannels(request)?.connect(target)
    return undefined
  }
  const agreed = agreeToSpdy(headers, isPorts(target) ? spdyPortProtocols : spdyCommandProtocols)
  if ("code" in agreed) return agreed
  answered(SWITCHING)
  upgrade.socket.write(agreed.head, "latin1")
  const connection = spdyConnection({ upgrade, guard })
  if (isPorts(target)) connectSpdyPorts(connection, target, sent)
  else connectSpdyCommand(connection, agreed.protocol, target, sent)
  return undefined
}
