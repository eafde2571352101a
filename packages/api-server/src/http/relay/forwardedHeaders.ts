import type { Call } from "../call/Call.ts"

/** Headers of one connection, which a proxy does not pass on. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

/** Headers that only this server may set, or that it has answered for. */
const isOwn = (name: string): boolean =>
  name === "authorization" ||
  name === "host" ||
  name === "content-length" ||
  name === "audit-id" ||
  name.startsWith("x-remote-") ||
  name.startsWith("impersonate-") ||
  name.startsWith(":")

const SUBPROTOCOLS = "Sec-WebSocket-Protocol"

/**
 * Returns the headers of a request that are passed on, names and values alternating, without those of its connection.
 * `subprotocols` are what is left of its own if one of them was the caller's token, which no other server may see.
 */
export const forwardedHeaders = (rawHeaders: ReadonlyArray<string>, subprotocols?: string): ReadonlyArray<string> => {
  const kept: Array<string> = subprotocols === undefined ? [] : [SUBPROTOCOLS, subprotocols]
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase()
    if (subprotocols !== undefined && name === SUBPROTOCOLS.toLowerCase()) continue
    if (!hopByHop.has(name) && !isOwn(name)) kept.push(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "")
  }
  return kept
}

/** Whether a header of an answer is passed back. */
export const isPassedBack = (name: string): boolean => !hopByHop.has(name) && name !== "audit-id"

/**
 * Returns the headers that say for whom a request is passed on, names and values alternating. `host` is that of an
 * aggregated server; other proxies do not name it. Upstream: apimachinery/pkg/util/proxy/transport.go.
 */
export const forwardingHeaders = ({ request, response }: Call, host?: string): ReadonlyArray<string> => {
  const { remoteAddress } = request.socket as { readonly remoteAddress?: string }
  const auditId = response.getHeader?.("Audit-Id")
  const [path = "/"] = (request.url ?? "/").split("?", 1)
  return [
    ...(remoteAddress === undefined ? [] : ["X-Forwarded-For", remoteAddress.replace(/^::ffff:/, "")]),
    ...(host === undefined ? [] : ["X-Forwarded-Host", host, "X-Forwarded-Proto", "https"]),
    ...["X-Forwarded-Uri", path],
    ...(typeof auditId === "string" ? ["Audit-Id", auditId] : [])
  ]
}

/** Returns what a request that is passed on has of its client's, as a proxy keeps it. */
export const forwardedPart = (call: Call) => {
  const host = call.header("host") ?? call.header(":authority")
  return {
    headers: [...forwardedHeaders(call.request.rawHeaders, call.subprotocols), ...forwardingHeaders(call)],
    ...(host === undefined ? {} : { host })
  }
}
