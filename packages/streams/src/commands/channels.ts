import type { IncomingHttpHeaders } from "node:http"
import { StringDecoder } from "node:string_decoder"
import type { Status } from "@rollcall/api"
import type { KubeletStream } from "../KubeletStream.ts"
import { readInTurns } from "../turns.ts"
import type { UpgradeConnection } from "../upgrades.ts"
import { acceptHead, closeSoon, refuseHandshake } from "../webSocket/webSocket.ts"
import { closeCodes, closeFrame, FrameReader, frameOf, opcodes } from "../webSocket/webSocketFrames.ts"
import { agreedProtocol, allProtocols, type ChannelProtocol } from "./channelProtocols.ts"
import { commandStatus, statusText } from "./commandStatus.ts"

/*
 * Commands in containers over WebSockets, whose messages begin with the number of a channel. Upstream:
 * streaming/pkg/httpstream/wsstream/conn.go, apiserver/pkg/util/proxy/{streamtranslator,websocket}.go.
 */

const STDIN = 0
const STDOUT = 1
const ERROR = 3
const CLOSE_SIGNAL = 255
/** What a client may leave unread before the command waits. */
const MAX_UNREAD_BYTES = 256 * 1024
/** Upstream: defaultIdleConnectionTimeout. */
const IDLE_MS = 4 * 60 * 60 * 1000
const SWITCHING = 101

/** The connection of a client to a command. */
export interface Channels {
  /** Connects it to a stream of a kubelet. */
  readonly connect: (stream: KubeletStream) => void
  /** Ends it with an error. */
  readonly fail: (status: Status) => void
}

/** A request for a connection to a command. */
export interface ChannelsRequest {
  readonly headers: IncomingHttpHeaders
  /** The subprotocols of the client, if not those of the headers. */
  readonly subprotocols?: string | undefined
  readonly upgrade: UpgradeConnection
  /** Called with the code of the response, before that is sent. */
  readonly answered: (code: number) => void
  /** Called with the length of each text that is sent. */
  readonly sent: (length: number) => void
  /** Runs the handling of what the client sends; an exception ends the connection only. */
  readonly guard: (act: () => void) => void
}

/**
 * Agrees to a WebSocket with channels; undefined if the client asks for no protocol that is served, which it is then told.
 */
export const openChannels = (request: ChannelsRequest): Channels | undefined => {
  const { answered, headers, subprotocols, upgrade } = request
  const { socket } = upgrade
  const protocol = agreedProtocol(String(subprotocols ?? headers["sec-websocket-protocol"] ?? ""), allProtocols)
  const head = protocol === undefined ? undefined : acceptHead(headers, protocol.name)
  if (protocol === undefined || head === undefined) {
    answered(403)
    refuseHandshake(socket)
    return undefined
  }
  answered(SWITCHING)
  socket.setTimeout(IDLE_MS, () => socket.destroy())
  socket.write(head, "latin1")
  socket.write(protocol.frame(STDOUT, Buffer.alloc(0)))
  return channelsOf(request, protocol)
}

const channelsOf = (
  { guard, sent, upgrade: { head, socket } }: ChannelsRequest,
  protocol: ChannelProtocol
): Channels => {
  const decoder = new StringDecoder("utf8")
  let input: ReturnType<KubeletStream["open"]> | undefined
  let channel: number | undefined
  let decode = protocol.decoder()
  const close = (last?: Buffer) => {
    if (!socket.writable) return
    if (last !== undefined) socket.write(last)
    socket.write(closeFrame(closeCodes.normal))
    closeSoon(socket)
  }
  const onData = (data: Buffer, isStart: boolean) => {
    if (isStart) {
      channel = protocol.channelOf(data[0])
      decode = protocol.decoder()
    }
    const payload = decode(isStart ? data.subarray(1) : data)
    if (channel === STDIN && payload.length > 0) input?.write(decoder.write(payload))
    else if (channel === CLOSE_SIGNAL && protocol.closesInput && payload[0] === STDIN) input?.end()
  }
  const frames = new FrameReader({
    onPing: (payload) => {
      if (socket.writable && socket.writableLength < MAX_UNREAD_BYTES) socket.write(frameOf(opcodes.pong, payload))
    },
    onEnd: (code) => close(code === undefined ? undefined : closeFrame(code)),
    onData
  })
  const errorFrame = (text: string) => protocol.frame(ERROR, Buffer.from(text))
  const endFrame = (status: object): Buffer | undefined => {
    const text = statusText(status, protocol.hasStatus)
    return text === undefined ? undefined : errorFrame(text)
  }
  socket.on("close", () => input?.close())
  const begin = () => readInTurns({ socket, head, guard, read: (chunk) => frames.read(chunk), ended: () => close() })
  return {
    connect: (stream) => {
      input = stream.open({
        write: (to, text) => {
          sent(text.length)
          if (socket.writable) socket.write(protocol.frame(to, Buffer.from(text)))
        },
        isFull: () => socket.writableLength > MAX_UNREAD_BYTES,
        end: (status) => close(endFrame(commandStatus(status)))
      })
      begin()
    },
    fail: (status) => close(endFrame(status))
  }
}
