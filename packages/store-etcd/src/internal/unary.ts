import type { ClientHttp2Stream, IncomingHttpHeaders } from "node:http2"
import { constants } from "node:http2"
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary
} from "@bufbuild/protobuf"
import { Code, ConnectError } from "@connectrpc/connect"
import type { Http2SessionManager } from "@connectrpc/connect-node"

export interface UnaryOptions {
  readonly signal: AbortSignal
  /** What the server is told about how long the caller waits. The caller ends the call by the signal. */
  readonly timeoutMs: number
}

/** gRPC's frame: whether the message is compressed, and its length. */
const FRAME_BYTES = 5

const framed = (message: Uint8Array): Buffer => {
  const frame = Buffer.allocUnsafe(FRAME_BYTES + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, FRAME_BYTES)
  return frame
}

const lost = (message: string) => new ConnectError(message, Code.Unavailable)

/** Returns the text of a grpc-message, in which bytes beyond ASCII are percent-encoded. */
const textOf = (message: string): string => {
  try {
    return decodeURIComponent(message)
  } catch {
    return message
  }
}

/** Returns what the status of an answer says is wrong; undefined for OK. */
const faultOf = (headers: IncomingHttpHeaders): ConnectError | undefined => {
  const status = headers["grpc-status"]
  if (status === undefined) return lost("the answer ended without a status")
  const code = Number(status)
  if (code === 0) return undefined
  return new ConnectError(textOf(String(headers["grpc-message"] ?? "")), code in Code ? (code as Code) : Code.Unknown)
}

/** Sends the message, and resolves with that of the answer. */
const exchange = (
  stream: ClientHttp2Stream,
  session: Http2SessionManager,
  message: Uint8Array,
  signal: AbortSignal
): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Buffer> = []
    let last: IncomingHttpHeaders = {}
    const cancel = () => stream.close(constants.NGHTTP2_CANCEL)
    // An answer that is an error only has its status in the first headers.
    stream.on("response", (headers) => {
      if (headers[":status"] !== 200) reject(lost(`HTTP status ${headers[":status"]}`))
      last = headers
    })
    stream.on("trailers", (headers) => {
      last = headers
    })
    stream.on("data", (chunk: Buffer) => {
      session.notifyResponseByteRead(stream)
      chunks.push(chunk)
    })
    stream.on("error", (error) => reject(lost(error.message)))
    stream.on("close", () => {
      signal.removeEventListener("abort", cancel)
      const fault = faultOf(last)
      const [first] = chunks
      const all = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
      if (fault !== undefined) reject(fault)
      else if (all.length < FRAME_BYTES || all[0] !== 0) reject(lost("the answer is no message"))
      else resolve(all.subarray(FRAME_BYTES))
    })
    signal.addEventListener("abort", cancel)
    if (signal.aborted) cancel()
    stream.end(framed(message))
  })

/**
 * Calls a method over a connection that is managed by connect-node, whose own call takes five times as long: a write is
 * hardly more than its call.
 */
export const unary = <I extends DescMessage, O extends DescMessage>(
  session: Http2SessionManager,
  { input, name, output, parent }: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  { signal, timeoutMs }: UnaryOptions
): Promise<MessageShape<O>> => {
  const headers = {
    "content-type": "application/grpc+proto",
    te: "trailers",
    "grpc-timeout": `${Math.ceil(timeoutMs)}m`
  }
  const message = toBinary(input, create(input, request))
  return session
    .request("POST", `/${parent.typeName}/${name}`, headers, {})
    .then((stream) => exchange(stream, session, message, signal))
    .then((answer) => fromBinary(output, answer))
}
