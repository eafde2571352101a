import { frameOf, opcodes } from "../webSocket/webSocketFrames.ts"

/*
 * The subprotocols of streams of commands over WebSockets. Upstream: streaming/pkg/httpstream/wsstream/conn.go,
 * cri/streaming/remotecommand/websocket.go.
 */

/** How messages with the number of a channel are written and read. */
export interface ChannelProtocol {
  /** The name that client and server agree on; empty if the client names none. */
  readonly name: string
  readonly frame: (channel: number, data: Buffer) => Buffer
  /** Returns the channel of the first bytes of a message. */
  readonly channelOf: (first: number | undefined) => number | undefined
  /** Returns a function that decodes the pieces of one message, without its channel. */
  readonly decoder: () => (piece: Buffer) => Buffer
  /** Whether a client may close its input. */
  readonly closesInput: boolean
  /** Whether the end of a command is a Status; otherwise only its failure is told, as a text. */
  readonly hasStatus: boolean
}

const ZERO = "0".charCodeAt(0)

const binary = {
  frame: (channel: number, data: Buffer) => frameOf(opcodes.binary, Buffer.concat([Buffer.of(channel), data])),
  channelOf: (first: number | undefined) => first,
  decoder: () => (piece: Buffer) => piece
}

const base64Decoder = () => {
  let rest = ""
  return (piece: Buffer): Buffer => {
    const text = rest + piece.toString("latin1")
    const whole = text.length - (text.length % 4)
    rest = text.slice(whole)
    return Buffer.from(text.slice(0, whole), "base64")
  }
}

const base64 = {
  frame: (channel: number, data: Buffer) =>
    frameOf(opcodes.text, Buffer.from(`${channel}${data.toString("base64")}`, "latin1")),
  channelOf: (first: number | undefined) => (first === undefined ? undefined : first - ZERO),
  decoder: base64Decoder
}

const v5: ChannelProtocol = { name: "v5.channel.k8s.io", ...binary, closesInput: true, hasStatus: true }
const v4: ChannelProtocol = { name: "v4.channel.k8s.io", ...binary, closesInput: false, hasStatus: true }

/** Those of a kubelet. */
export const allProtocols: ReadonlyArray<ChannelProtocol> = [
  v5,
  v4,
  { name: "v4.base64.channel.k8s.io", ...base64, closesInput: false, hasStatus: true },
  { name: "channel.k8s.io", ...binary, closesInput: false, hasStatus: false },
  { name: "base64.channel.k8s.io", ...base64, closesInput: false, hasStatus: false },
  { name: "", ...binary, closesInput: false, hasStatus: false }
]

/** Returns the first of the protocols that a client names; a client that names none asks for the empty one. */
export const agreedProtocol = (asked: string, served: ReadonlyArray<ChannelProtocol>): ChannelProtocol | undefined => {
  const names = asked.split(",").map((each) => each.trim())
  // Streams of which the input can be closed are served apart, before the others.
  if (names.includes(v5.name) && served.includes(v5)) return v5
  for (const name of names) {
    const found = served.find((protocol) => protocol.name === name)
    if (found !== undefined) return found
  }
  return undefined
}
