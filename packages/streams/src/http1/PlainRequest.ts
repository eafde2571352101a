import type { IncomingHttpHeaders } from "node:http"
import type { Socket } from "node:net"
import type { PlainHead } from "./readHead.ts"

/** A request that has arrived as a whole. */
export class PlainRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: ReadonlyArray<string>
  readonly httpVersionMajor = 1
  readonly httpVersionMinor = 1
  readonly aborted = false
  readonly socket: Socket
  /** Its body. */
  readonly whole: Buffer
  private data: ((chunk: Buffer) => void) | undefined

  constructor(socket: Socket, { fields, method, url }: PlainHead, body: Buffer) {
    this.socket = socket
    this.method = method
    this.url = url
    this.headers = fields.headers
    this.rawHeaders = fields.rawHeaders
    this.whole = body
  }

  /** Registers a listener. That of the end is called at once, after that of data: nothing else comes. */
  on(event: "data", listener: (chunk: Buffer) => void): this
  on(event: "end" | "error" | "aborted", listener: () => void): this
  on(event: string, listener: (chunk: Buffer) => void): this {
    if (event === "data") this.data = listener
    else if (event === "end") {
      if (this.whole.length > 0) this.data?.(this.whole)
      ;(listener as () => void)()
    }
    return this
  }

  destroy(): void {
    this.socket.destroy()
  }
}
