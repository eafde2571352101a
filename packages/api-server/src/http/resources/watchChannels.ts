import {
  closeCodes,
  closeFrame,
  closeSoon,
  FrameReader,
  frameOf,
  handshakeOf,
  opcodes,
  readInTurns,
  takeConnection,
  type UpgradeConnection,
  upgradeOf
} from "@rollcall/streams"
import { isWebSocketRequest } from "@rollcall/streams/request"
import type { Call } from "../call/Call.ts"
import { warningHeaders } from "../call/respond.ts"
import { mediaTypeOf } from "../request/mediaTypes.ts"
import type { HttpResponse } from "../wire/HttpPort.ts"
import type { StreamEncoding } from "./encodeEvent.ts"

/** What carries the events of a watch to its client. */
export interface WatchChannel {
  readonly response: Pick<HttpResponse, "write" | "end" | "destroy" | "writableLength" | "on">
  /** Returns an encoded event as it is written. Without it, it is written as it is. */
  readonly framed?: (event: Buffer) => Buffer
}

/** Opens the channel that the request asks for. Undefined if its handshake fails, which the client has been told. */
export const openChannel = (call: Call, encoding: StreamEncoding): WatchChannel | undefined => {
  const upgrade = isWebSocketRequest(call.request.headers) ? upgradeOf(call.request) : undefined
  return upgrade === undefined ? overHttp(call, encoding) : overWebSocket(call, encoding, upgrade)
}

const overHttp = (call: Call, encoding: StreamEncoding): WatchChannel => {
  const { response } = call
  response.statusCode = 200
  response.setHeader("Cache-Control", "no-cache, private")
  response.setHeader("Content-Type", encoding === "json" ? mediaTypeOf.json : `${mediaTypeOf[encoding]};stream=watch`)
  if (call.warnings.length > 0) response.setHeader("Warning", warningHeaders(call.warnings))
  response.flushHeaders()
  call.done(200)
  return { response }
}

const SWITCHING = 101
/** A client that sends pings and does not read gets no further answers to them. */
const MAX_UNREAD_BYTES = 64 * 1024
/** The length before each event in protobuf, which a WebSocket's frames have of their own. */
const LENGTH_BYTES = 4

/** Upstream: apiserver/pkg/endpoints/handlers/watch.go, HandleWS. */
const overWebSocket = (call: Call, encoding: StreamEncoding, upgrade: UpgradeConnection): WatchChannel | undefined => {
  const { socket } = upgrade
  const { headers } = call.request
  const { head, isOpen } = handshakeOf(headers, call.subprotocols ?? headers["sec-websocket-protocol"] ?? "")
  takeConnection(call.response, upgrade)
  call.done(SWITCHING)
  if (!isOpen) {
    socket.write(head, "latin1")
    closeSoon(socket)
    return undefined
  }
  socket.setTimeout(0)
  socket.write(head, "latin1")
  const framed = (event: Buffer): Buffer =>
    encoding === "json" ? frameOf(opcodes.text, event) : frameOf(opcodes.binary, event.subarray(LENGTH_BYTES))
  const end = (last?: Uint8Array | string) => {
    if (!socket.writable) return
    if (last !== undefined) socket.write(last)
    socket.write(closeFrame(closeCodes.normal))
    closeSoon(socket)
  }
  const frames = new FrameReader({
    onPing: (payload) => {
      if (socket.writable && socket.writableLength < MAX_UNREAD_BYTES) socket.write(frameOf(opcodes.pong, payload))
    },
    onEnd: (code) => end(code === undefined ? undefined : closeFrame(code))
  })
  readInTurns({
    socket,
    head: upgrade.head,
    guard: (act) => call.guard(act),
    read: (chunk) => frames.read(chunk),
    ended: () => end()
  })
  return {
    response: {
      write: (bytes) => socket.writable && socket.write(bytes),
      end,
      destroy: () => socket.destroy(),
      get writableLength() {
        return socket.writableLength
      },
      on: (event, listener) => socket.on(event, listener)
    },
    framed
  }
}
