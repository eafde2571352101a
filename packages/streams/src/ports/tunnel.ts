import type { IncomingHttpHeaders } from "node:http"
import type { SpdyConnectionOptions } from "../spdy/spdyConnection.ts"
import { acceptHead } from "../webSocket/webSocket.ts"
import { closeCodes, closeFrame, FrameReader, frameOf, opcodes } from "../webSocket/webSocketFrames.ts"

/*
 * SPDY within the messages of a WebSocket, as `kubectl port-forward` asks for it. Upstream:
 * apiserver/pkg/util/proxy/streamtunnel.go, client-go/tools/portforward/tunneling_connection.go.
 */

const PREFIX = "SPDY/3.1+"
const SUFFIX = ".k8s.io"

const subprotocolsOf = (header: string): ReadonlyArray<string> =>
  header
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")

/** Returns the protocols for SPDY that a request for a WebSocket names. Upstream: spdyProtocolsFromWebsocketProtocols. */
export const tunnelledProtocols = (header: string): ReadonlyArray<string> =>
  subprotocolsOf(header)
    .filter((name) => name.startsWith(PREFIX) && name.endsWith(SUFFIX))
    .map((name) => name.slice(PREFIX.length))

/** Returns the answer that opens a tunnel; undefined if the request is for no WebSocket. */
export const tunnelHead = (headers: IncomingHttpHeaders, protocol: string): string | undefined =>
  acceptHead(headers, PREFIX + protocol)

/** How the connection of a tunnel carries SPDY. */
export const tunnelWrap: NonNullable<SpdyConnectionOptions["wrap"]> = {
  written: (bytes) => frameOf(opcodes.binary, bytes),
  last: closeFrame(closeCodes.normal),
  reader: ({ answer, end, read }) => {
    const frames = new FrameReader({
      onPing: (payload) => answer(frameOf(opcodes.pong, payload)),
      onEnd: end,
      onData: read
    })
    return (chunk) => {
      frames.read(chunk, Number.POSITIVE_INFINITY)
    }
  }
}
