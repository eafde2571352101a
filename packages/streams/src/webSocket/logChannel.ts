import type { IncomingHttpHeaders } from "node:http"
import type { KubeletStream } from "../KubeletStream.ts"
import { MAX_UNREAD_BYTES } from "../spdy/spdyConnection.ts"
import { readInTurns } from "../turns.ts"
import type { UpgradeConnection } from "../upgrades.ts"
import { acceptHead, closeSoon } from "./webSocket.ts"
import { closeCodes, closeFrame, FrameReader, frameOf, opcodes } from "./webSocketFrames.ts"

/*
 * Logs over a WebSocket, which browsers can read as they are written. Upstream:
 * streaming/pkg/httpstream/wsstream/stream.go.
 */

/** The length of a message: upstream reads so much at a time. */
const MESSAGE_BYTES = 2048

type Framed = (bytes: Uint8Array) => Buffer

const binary: Framed = (bytes) => frameOf(opcodes.binary, bytes)
const base64: Framed = (bytes) => frameOf(opcodes.text, Buffer.from(Buffer.from(bytes).toString("base64"), "latin1"))

/** Upstream: NewDefaultReaderProtocols. */
const protocols: ReadonlyMap<string, Framed> = new Map([
  ["", binary],
  ["binary.k8s.io", binary],
  ["base64.binary.k8s.io", base64]
])

export interface LogAgreement {
  readonly head: string
  readonly framed: Framed
}

/** Agrees to a WebSocket with the first protocol of the client that is served; undefined if there is none. */
export const agreeToLog = (headers: IncomingHttpHeaders, asked: string): LogAgreement | undefined => {
  const name = asked
    .split(",")
    .map((each) => each.trim())
    .find((each) => protocols.has(each))
  const framed = name === undefined ? undefined : protocols.get(name)
  const head = name === undefined ? undefined : acceptHead(headers, name)
  return head === undefined || framed === undefined ? undefined : { head, framed }
}

export interface LogChannel {
  readonly upgrade: UpgradeConnection
  readonly agreed: LogAgreement
  /** Called with the length of each text that is sent. */
  readonly sent: (length: number) => void
  /** Runs the handling of what the client sends; an exception ends the connection only. */
  readonly guard: (act: () => void) => void
}

/** Sends a log to a client, whose messages are ignored; its connection ends with the log. */
export const sendLogOver = ({ agreed, guard, sent, upgrade }: LogChannel, log: KubeletStream | string) => {
  const { head, socket } = upgrade
  const { framed } = agreed
  const write = (text: string) => {
    sent(text.length)
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length && socket.writable; at += MESSAGE_BYTES) {
      socket.write(framed(bytes.subarray(at, at + MESSAGE_BYTES)))
    }
  }
  const close = (last?: Buffer) => {
    if (!socket.writable) return
    if (last !== undefined) socket.write(last)
    socket.write(closeFrame(closeCodes.normal))
    closeSoon(socket)
  }
  socket.setTimeout(0)
  socket.write(agreed.head, "latin1")
  // It tells the client that the log follows, however long that takes.
  socket.write(framed(new Uint8Array(0)))
  const input =
    typeof log === "string"
      ? undefined
      : log.open({
          write: (_, text) => write(text),
          isFull: () => socket.writableLength > MAX_UNREAD_BYTES,
          end: () => close()
        })
  socket.on("close", () => guard(() => input?.close()))
  const frames = new FrameReader({
    onPing: (payload) => {
      if (socket.writable && socket.writableLength < MAX_UNREAD_BYTES) socket.write(frameOf(opcodes.pong, payload))
    },
    onEnd: (code) => close(code === undefined ? undefined : closeFrame(code))
  })
  readInTurns({ socket, head, guard, read: (chunk) => frames.read(chunk), ended: () => close() })
  if (typeof log !== "string") return
  write(log)
  close()
}
