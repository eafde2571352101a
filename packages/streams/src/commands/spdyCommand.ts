import { StringDecoder } from "node:string_decoder"
import type { CommandChannels, KubeletStream } from "../KubeletStream.ts"
import type { SpdyStream } from "../spdy/SpdySession.ts"
import type { SpdyConnection } from "../spdy/spdyConnection.ts"
import { commandStatus, statusText } from "./commandStatus.ts"

/*
 * Commands in containers over SPDY: one stream for each of its channels. Upstream:
 * cri-streaming/pkg/streaming/remotecommand/httpstream.go.
 */

interface CommandProtocol {
  /** Whether the size of a terminal has a stream. */
  readonly resizes: boolean
  /** Whether the end of a command is a Status; otherwise only its failure is told, as a text. */
  readonly hasStatus: boolean
  /** Whether failures can be told at all: the first protocol closes the stream for them at its start. */
  readonly hasErrors: boolean
}

const protocols: Readonly<Record<string, CommandProtocol>> = {
  "v4.channel.k8s.io": { resizes: true, hasStatus: true, hasErrors: true },
  "v3.channel.k8s.io": { resizes: true, hasStatus: false, hasErrors: true },
  "v2.channel.k8s.io": { resizes: false, hasStatus: false, hasErrors: true },
  "channel.k8s.io": { resizes: false, hasStatus: false, hasErrors: false }
}

/** Upstream: SupportedStreamingProtocols. */
export const spdyCommandProtocols: ReadonlyArray<string> = Object.keys(protocols)

/** Upstream: defaultIdleConnectionTimeout. */
const IDLE_MS = 4 * 60 * 60 * 1000
/** How long a client may take to open the streams of its command. Upstream: DefaultStreamCreationTimeout. */
const CREATION_MS = 30_000
/** What is kept of an input before its command begins. */
const MAX_EARLY_INPUT = 64 * 1024

const streamTypes = ["error", "stdin", "stdout", "stderr", "resize"] as const
type StreamType = (typeof streamTypes)[number]

/** Returns how many streams a client opens. */
const countOf = ({ stderr, stdin, stdout, tty }: CommandChannels, { resizes }: CommandProtocol): number =>
  1 + [stdin, stdout, stderr && !tty, tty && resizes].filter(Boolean).length

const outputOnly: CommandChannels = { stdin: false, stdout: true, stderr: true, tty: false }

/** Connects a client to a command once it has opened the streams that the command has. */
export const connectSpdyCommand = (
  connection: SpdyConnection,
  name: string,
  command: KubeletStream,
  sent: (length: number) => void
) => {
  const protocol = protocols[name] ?? { resizes: true, hasStatus: true, hasErrors: true }
  const expected = countOf(command.channels ?? outputOnly, protocol)
  const streams: { [type in StreamType]?: SpdyStream } = {}
  const decoder = new StringDecoder("utf8")
  let input: ReturnType<KubeletStream["open"]> | undefined
  let early = ""
  let isInputOver = false
  let isBegun = false
  let isOver = false
  const end = (status: object) => {
    isOver = true
    const text = statusText(status, protocol.hasStatus)
    if (text !== undefined) streams.error?.write(Buffer.from(text))
    for (const stream of Object.values(streams)) stream.end()
    connection.finish()
  }
  const begin = () => {
    isBegun = true
    connection.expireAfter(IDLE_MS)
    if (!protocol.hasErrors) streams.error?.reset()
    const opened = command.open({
      write: (to, text) => {
        sent(text.length)
        streams[to === 1 ? "stdout" : "stderr"]?.write(Buffer.from(text))
      },
      isFull: connection.isFull,
      end: (status) => end(commandStatus(status))
    })
    input = opened
    if (early !== "") opened.write(early)
    early = ""
    if (isInputOver) opened.end()
  }
  const type = (text: string) => {
    if (text === "") return
    if (input !== undefined) return input.write(text)
    early += text
    if (early.length > MAX_EARLY_INPUT) connection.finish()
  }
  const inputOver = () => {
    isInputOver = true
    if (!isOver) input?.end()
  }
  connection.expireAfter(CREATION_MS)
  connection.begin({
    accept: (stream) => {
      const kind = streamTypes.find((known) => known === stream.headers.get("streamtype"))
      // A stream of another kind is open and has no meaning.
      if (kind === undefined) return { opened: () => {}, data: () => {}, ended: () => {} }
      if (streams[kind] !== undefined || isBegun) return undefined
      streams[kind] = stream
      return {
        opened: () => {
          if (Object.keys(streams).length === expected) begin()
        },
        data: (data) => {
          if (kind === "stdin") type(decoder.write(data))
        },
        ended: () => {
          if (kind === "stdin") inputOver()
        }
      }
    },
    closed: () => {
      isOver = true
      input?.close()
    }
  })
}
