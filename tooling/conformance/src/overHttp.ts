import type { HttpRequest, HttpResponse } from "@rollcall/api-server/http"

/** An HTTP request. */
export interface SentRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** An HTTP response. */
export interface ReceivedResponse {
  readonly code: number
  readonly headers: ReadonlyMap<string, string | number | ReadonlyArray<string>>
  readonly body: string
}

/** Makes a request whose body arrives at once: when the listener for its end is added, both listeners are called. */
const requestOf = ({ body, headers, method, path }: SentRequest): HttpRequest => {
  let data: (chunk: Buffer) => void = () => {}
  return {
    method,
    url: path,
    headers,
    rawHeaders: Object.entries(headers).flat(),
    socket: {},
    destroy: () => {},
    on: (event: string, listener: ((chunk: Buffer) => void) | (() => void)) => {
      if (event === "data") data = listener
      if (event !== "end") return
      if (body !== undefined) data(Buffer.from(body))
      ;(listener as () => void)()
    }
  }
}

/** Passes one request to a handler, and returns its synchronous response. */
export const overHttp = (
  handle: (request: HttpRequest, response: HttpResponse) => void,
  sent: SentRequest
): ReceivedResponse => {
  const headers = new Map<string, string | number | ReadonlyArray<string>>()
  let body: string | undefined
  const response: HttpResponse = {
    statusCode: 200,
    headersSent: false,
    destroyed: false,
    writableLength: 0,
    setHeader: (name, value) => headers.set(name.toLowerCase(), value),
    hasHeader: (name) => headers.has(name.toLowerCase()),
    flushHeaders: () => {},
    write: () => {},
    end: (bytes) => {
      body = typeof bytes === "string" ? bytes : Buffer.from(bytes ?? []).toString()
    },
    destroy: () => {},
    on: () => {}
  }
  handle(requestOf(sent), response)
  if (body === undefined) throw new Error("no answer")
  return { code: response.statusCode, headers, body }
}
