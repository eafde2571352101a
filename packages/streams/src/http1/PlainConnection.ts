import type { Socket } from "node:net"
import { PlainRequest } from "./PlainRequest.ts"
import { PlainResponse } from "./PlainResponse.ts"
import { type PlainFields, readHead } from "./readHead.ts"

/** The server of plain connections. */
export interface PlainServer {
  readonly handle: (request: PlainRequest, response: PlainResponse) => void
  /** Takes over a connection, with the bytes that were read and not handled: they are not plain. */
  readonly handOver: (socket: Socket, bytes: Buffer) => void
  /** Whether a request with these headers is left to `handOver`. */
  readonly refuses: (fields: PlainFields) => boolean
  readonly statusTexts: Readonly<Record<number, string | undefined>>
  readonly commonLines: () => string
  readonly keepAliveSeconds: number
}

const HEAD_END = "\r\n\r\n"
const NO_BODY = Buffer.alloc(0)

/**
 * An HTTP/1.1 connection whose requests each come as a whole, in the form of nearly all clients: then neither streams nor
 * events are needed for them, which are half the cost of a small request. From the first request of another form on, the
 * connection is that of Node's server.
 */
export class PlainConnection {
  private readonly socket: Socket
  private readonly server: PlainServer
  private response: PlainResponse | undefined
  /** What came while a request was answered. */
  private early: Buffer | undefined
  private known: PlainFields | undefined
  private isFinishing = false
  private readonly owner: ConstructorParameters<typeof PlainResponse>[0]

  constructor(socket: Socket, server: PlainServer) {
    this.socket = socket
    this.server = server
    const { commonLines, keepAliveSeconds, statusTexts } = server
    this.owner = { socket, commonLines, keepAliveSeconds, statusTexts, onSent: this.onSent }
    socket.on("data", this.onData)
    socket.on("drain", this.onDrain)
    socket.on("end", this.onEnd)
    socket.on("close", this.onClose)
    socket.on("error", this.onError)
  }

  /** Closes the connection with its next answer; at once, if it has had some and none is due. */
  readonly finish = (): void => {
    this.isFinishing = true
    if (this.response !== undefined) this.response.shouldKeepAlive = false
    else if (this.known !== undefined) this.socket.destroy()
  }

  private readonly onData = (bytes: Buffer): void => {
    if (this.response === undefined) return void this.serve(bytes)
    this.early = this.early === undefined ? bytes : Buffer.concat([this.early, bytes])
    this.socket.pause()
  }

  private serve(bytes: Buffer): void {
    const { server, socket } = this
    const end = bytes.indexOf(HEAD_END)
    const head = end < 0 ? undefined : readHead(bytes.toString("latin1", 0, end), this.known)
    const bodyAt = end + HEAD_END.length
    if (head === undefined || bytes.length !== bodyAt + head.fields.contentLength) return void this.handOver(bytes)
    const { fields } = head
    if (fields !== this.known) {
      if (server.refuses(fields)) return void this.handOver(bytes)
      this.known = fields
    }
    const response = new PlainResponse(this.owner)
    if (this.isFinishing) response.shouldKeepAlive = false
    this.response = response
    const body = bytes.length === bodyAt ? NO_BODY : bytes.subarray(bodyAt)
    server.handle(new PlainRequest(socket, head, body), response)
  }

  private handOver(bytes: Buffer): void {
    const { server, socket } = this
    socket.removeListener("data", this.onData)
    socket.removeListener("drain", this.onDrain)
    socket.removeListener("end", this.onEnd)
    socket.removeListener("close", this.onClose)
    socket.removeListener("error", this.onError)
    server.handOver(socket, bytes)
    socket.resume()
  }

  private readonly onSent = (): void => {
    const { response, socket } = this
    if (response === undefined) return
    this.response = undefined
    response.closed()
    if (!response.shouldKeepAlive) return void socket.destroySoon()
    const { early } = this
    if (early === undefined) return
    this.early = undefined
    socket.resume()
    this.serve(early)
  }

  private readonly onDrain = (): void => this.response?.drained()

  private readonly onEnd = (): void => void this.socket.end()

  private readonly onError = (): void => void this.socket.destroy()

  private readonly onClose = (): void => {
    const { response } = this
    this.response = undefined
    response?.closed()
  }
}
