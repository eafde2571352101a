import { agreedProtocol, allProtocols, type ChannelProtocol } from "../commands/channelProtocols.ts"
import type { ChannelsRequest } from "../commands/channels.ts"
import type { KubeletPorts, KubeletStream } from "../KubeletStream.ts"
import { MAX_UNREAD_BYTES } from "../spdy/spdyConnection.ts"
import { readInTurns } from "../turns.ts"
import { acceptHead, closeSoon, refuseHandshake } from "../webSocket/webSocket.ts"
import { closeCodes, closeFrame, FrameReader, frameOf, opcodes } from "../webSocket/webSocketFrames.ts"

/*
 * Ports forwarded over a WebSocket, each of which has two of its channels. Upstream:
 * cri-streaming/pkg/streaming/portforward/websocket.go.
 */

const served = allProtocols.filter(({ name }) => ["", "v4.channel.k8s.io", "v4.base64.channel.k8s.io"].includes(name))

/** Upstream: defaultIdleConnectionTimeout. */
const IDLE_MS = 4 * 60 * 60 * 1000
const SWITCHING = 101

/** What both channels of a port begin with. */
const portBytes = (port: number): Buffer => {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(port)
  return bytes
}

type Socket = ChannelsRequest["upgrade"]["socket"]
type Input = ReturnType<KubeletStream["open"]>

/** Returns a function that reads the client's frames, and gives data of a port to its connection. */
const readerOf = (socket: Socket, protocol: ChannelProtocol, inputs: ReadonlyArray<Input>, close: () => void) => {
  let channel: number | undefined
  let decode = protocol.decoder()
  const frames = new FrameReader({
    onPing: (payload) => {
      if (socket.writable && socket.writableLength < MAX_UNREAD_BYTES) socket.write(frameOf(opcodes.pong, payload))
    },
    onEnd: close,
    onData: (data, isStart) => {
      if (isStart) {
        channel = protocol.channelOf(data[0])
        decode = protocol.decoder()
      }
      const payload = decode(isStart ? data.subarray(1) : data)
      if (channel !== undefined && channel % 2 === 0) inputs[channel / 2]?.write(payload.toString("latin1"))
    }
  })
  return (chunk: Buffer) => frames.read(chunk)
}

/** Agrees to a WebSocket, and connects each of the ports over its channels. */
export const openPortChannels = (
  { answered, guard, headers, sent, subprotocols, upgrade }: ChannelsRequest,
  ports: ReadonlyArray<number>,
  target: KubeletPorts
) => {
  const { head: first, socket } = upgrade
  const protocol = agreedProtocol(String(subprotocols ?? headers["sec-websocket-protocol"] ?? ""), served)
  const head = protocol === undefined ? undefined : acceptHead(headers, protocol.name)
  if (protocol === undefined || head === undefined) {
    answered(403)
    return refuseHandshake(socket)
  }
  answered(SWITCHING)
  socket.setTimeout(IDLE_MS, () => socket.destroy())
  socket.write(head, "latin1")
  const inputs: Array<Input> = []
  let open = ports.length
  const close = () => {
    if (!socket.writable) return
    socket.write(closeFrame(closeCodes.normal))
    closeSoon(socket)
  }
  const write = (channel: number, data: Buffer) => {
    if (socket.writable) socket.write(protocol.frame(channel, data))
  }
  socket.on("close", () =>
    guard(() => {
      for (const input of inputs) input.close()
    })
  )
  for (const [index, port] of ports.entries()) {
    write(2 * index, portBytes(port))
    write(2 * index + 1, portBytes(port))
  }
  for (const [index, port] of ports.entries()) {
    const opened = target.connect(port).open({
      write: (_, text) => {
        sent(text.length)
        write(2 * index, Buffer.from(text, "latin1"))
      },
      isFull: () => socket.writableLength > MAX_UNREAD_BYTES,
      end: (status) => {
        if (typeof status === "object") write(2 * index + 1, Buffer.from(status.error))
        if (--open === 0) close()
      }
    })
    inputs.push(opened)
  }
  const read = readerOf(socket, protocol, inputs, close)
  readInTurns({ socket, head: first, guard, read, ended: close })
}
