import { StringDecoder } from "node:string_decoder"
import { internalError, type Status } from "@rollcall/api"
import type { Call } from "../../call/Call.ts"
import { takeConnection, type UpgradeConnection } from "../../wire/upgrades.ts"
import { acceptHead, closeSoon, refuseHandshake } from "../../wire/webSocket.ts"
import { closeCodes, closeFrame, FrameReader, frameOf, opcodes } from "../../wire/webSocketFrames.ts"
import type { KubeletStream, KubeletStreamClient } from "./KubeletTransport.ts"

/*
 * Commands in containers over WebSockets, whose messages begin with the number of a channel. Upstream:
 * streaming/pkg/httpstream/wsstream/conn.go, apiserver/pkg/util/proxy/{streamtranslator,websocket}.go.
 */

/** The versions that are served, the best one first; only the fifth can close the input. */
const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"]

const STDIN = 0
const STDOUT = 1
const ERROR = 3
const CLOSE_SIGNAL = 255
/** What a client may leave unread before the command waits. */
const MAX_UNREAD_BYTES = 256 * 1024
/** Upstream: defaultIdleConnectionTimeout. */
const IDLE_MS = 4 * 60 * 60 * 1000
const SWITCHING = 101

const success = { metadata: {}, status: "Success" }

/** Returns the Status of a command that has ended. Upstream: streamtranslator.go, codeExitToStatusError. */
const exitStatus = (code: number): object =>
  code === 0
    ? success
    : {
        metadata: {},
        status: "Failure",
        message: `command terminated with non-zero exit code: command terminated with exit code ${code}`,
        reason: "NonZeroExitCode",
        details: { causes: [{ reason: "ExitCode", message: String(code) }] }
      }

const statusOf = (status: Parameters<KubeletStreamClient["end"]>[0]): object =>
  typeof status === "object" ? internalError(status.error) : exitStatus(status ?? 0)

const channelFrame = (channel: number, data: Buffer): Buffer =>
  frameOf(opcodes.binary, Buffer.concat([Buffer.of(channel), data]))

/** The connection of a client to a command. */
export interface Channels {
  /** Connects it to a stream of a kubelet. */
  readonly connect: (stream: KubeletStream) => void
  /** Ends it with an error. */
  readonly fail: (status: Status) => void
}

/**
 * Agrees to a WebSocket with channels; undefined if the client asks for no protocol that is served, which it is then told.
 */
export const openChannels = (call: Call, upgrade: UpgradeConnection): Channels | undefined => {
  const { headers } = call.request
  const asked = String(call.subprotocols ?? headers["sec-websocket-protocol"] ?? "").split(",")
  const protocol = asked.map((each) => each.trim()).find((each) => protocols.includes(each))
  takeConnection(call.response, upgrade)
  const { socket } = upgrade
  const head = protocol === undefined ? undefined : acceptHead(headers, protocol)
  if (head === undefined) {
    call.done(403)
    refuseHandshake(socket)
    return undefined
  }
  call.done(SWITCHING)
  socket.setTimeout(IDLE_MS, () => socket.destroy())
  socket.write(head, "latin1")
  socket.write(channelFrame(STDOUT, Buffer.alloc(0)))
  return channelsOf(call, upgrade)
}

const channelsOf = (call: Call, { head, socket }: UpgradeConnection): Channels => {
  const decoder = new StringDecoder("utf8")
  let input: ReturnType<KubeletStream["open"]> | undefined
  let channel: number | undefined
  const close = (last?: Buffer) => {
    if (!socket.writable) return
    if (last !== undefined) socket.write(last)
    socket.write(closeFrame(closeCodes.normal))
    closeSoon(socket)
  }
  const onData = (data: Buffer, isStart: boolean) => {
    if (isStart) channel = data[0]
    const payload = isStart ? data.subarray(1) : data
    if (channel === STDIN && payload.length > 0) input?.write(decoder.write(payload))
    else if (channel === CLOSE_SIGNAL && payload[0] === STDIN) input?.end()
  }
  const frames = new FrameReader({
    onPing: (payload) => {
      if (socket.writable && socket.writableLength < MAX_UNREAD_BYTES) socket.write(frameOf(opcodes.pong, payload))
    },
    onEnd: (code) => close(code === undefined ? undefined : closeFrame(code)),
    onData
  })
  const read = (chunk: Buffer) => call.guard(() => frames.read(chunk))
  socket.on("close", () => input?.close())
  const begin = () => {
    socket.on("data", read)
    socket.on("end", () => close())
    if (head.length > 0) read(head)
  }
  return {
    connect: (stream) => {
      input = stream.open({
        write: (to, text) => {
          call.sentBytes += text.length
          if (socket.writable) socket.write(channelFrame(to, Buffer.from(text)))
        },
        isFull: () => socket.writableLength > MAX_UNREAD_BYTES,
        end: (status) => close(channelFrame(ERROR, Buffer.from(JSON.stringify(statusOf(status)))))
      })
      begin()
    },
    fail: (status) => close(channelFrame(ERROR, Buffer.from(JSON.stringify(status))))
  }
}
