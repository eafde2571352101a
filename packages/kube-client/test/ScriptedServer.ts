import http from "node:http"
import http2 from "node:http2"
import https from "node:https"
import type { AddressInfo, Socket } from "node:net"
import { pki } from "./pki.ts"

export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
  /** Names of the client's certificate: `admin`. */
  readonly peer: string | undefined
}

export type Script = (seen: ReceivedRequest, response: http.ServerResponse, socket: Socket) => void

export interface ScriptedServer {
  readonly url: string
  readonly port: number
  readonly seen: ReadonlyArray<ReceivedRequest>
  /** Cuts every connection. */
  readonly cut: () => void
  readonly close: () => Promise<void>
}

export const respondWithJson = (
  response: http.ServerResponse,
  code: number,
  body: unknown,
  headers: http.OutgoingHttpHeaders = {}
) => {
  response.writeHead(code, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify(body))
}

/** A server that does what the script says with each request: real sockets, and real TLS if asked. */
export const startScriptedServer = async (
  script: Script,
  options: { readonly tls?: boolean; readonly http2?: boolean } = {}
) => {
  const seen: Array<ReceivedRequest> = []
  const sockets = new Set<Socket>()
  const listener: http.RequestListener = (request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("error", () => undefined)
    response.on("error", () => undefined)
    request.on("end", () => {
      const { socket } = request
      const certificate =
        "getPeerCertificate" in socket ? (socket as import("node:tls").TLSSocket).getPeerCertificate() : undefined
      const one: ReceivedRequest = {
        method: request.method ?? "",
        url: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8"),
        peer: certificate?.subject?.CN as string | undefined
      }
      seen.push(one)
      script(one, response, socket)
    })
  }
  const overHttp2 = () => {
    const made = http2.createSecureServer({ ...pki().server, allowHTTP1: true })
    // The compatibility API has what scripts use, under types of its own.
    const emitter: NodeJS.EventEmitter = made
    emitter.on("request", listener)
    return made
  }
  const overTls = () =>
    https.createServer({ ...pki().server, ca: pki().ca.cert, requestCert: true, rejectUnauthorized: false }, listener)
  const server = options.http2 ? overHttp2() : options.tls ? overTls() : http.createServer(listener)
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `${options.tls || options.http2 ? "https" : "http"}://127.0.0.1:${port}`,
    port,
    seen,
    cut,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        cut()
      })
  } satisfies ScriptedServer
}
