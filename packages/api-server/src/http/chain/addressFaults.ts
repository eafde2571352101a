import type { HttpRequest, HttpResponse } from "../wire/HttpPort.ts"

/**
 * Answers a request of which not even the resource is known. Upstream: apiserver/pkg/endpoints/filters/requestinfo.go;
 * handlers/responsewriters, InternalError.
 */
export const refuseAddress = (response: HttpResponse, url: string): void => {
  const shown = url.replaceAll("&", "&amp;").replaceAll('"', "&#34;").replaceAll("'", "&#39;").replaceAll("<", "&lt;")
  response.statusCode = 500
  response.setHeader("Content-Type", "text/plain; charset=utf-8")
  response.setHeader("X-Content-Type-Options", "nosniff")
  response.end(
    `Internal Server Error: ${JSON.stringify(shown)}: failed to create RequestInfo: unable to determine kind and namespace from url, ${url}\n`
  )
}

/**
 * Refuses an address with an escape without two digits, before any handler: closes the connection, or resets the stream of
 * HTTP/2. Upstream: Go's net/http, conn.serve; golang.org/x/net/http2, newWriterAndRequest.
 */
export const refuseEscape = ({ httpVersionMajor }: HttpRequest, response: HttpResponse): void => {
  if (httpVersionMajor === 2) return void response.destroy()
  response.statusCode = 400
  response.setHeader("Content-Type", "text/plain; charset=utf-8")
  response.setHeader("Connection", "close")
  response.end("400 Bad Request")
}
