import { isUtf8 } from "node:buffer"
import { isWebSocketRequest } from "@rollcall/streams/request"
import type { Authentication, Authenticator, Credentials } from "../../core/ports/Security.ts"
import type { TokenLookup } from "./authenticators.ts"

/** The prefix of a subprotocol that is a bearer token. */
const TOKEN_PREFIX = "base64url.bearer.authorization.k8s.io."

/** The bearer tokens among the subprotocols of a request, in base64url, and the others. */
interface Subprotocols {
  readonly tokens: ReadonlyArray<string>
  readonly others: ReadonlyArray<string>
}

const subprotocolsOf = (header: string): Subprotocols => {
  const all = header.split(",").map((protocol) => protocol.trim())
  return {
    tokens: all.filter((name) => name.startsWith(TOKEN_PREFIX)).map((name) => name.slice(TOKEN_PREFIX.length)),
    others: all.filter((name) => !name.startsWith(TOKEN_PREFIX))
  }
}

/** Returns the text of unpadded base64url; undefined if it is none. */
const decoded = (text: string): string | undefined => {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined
  const bytes = Buffer.from(text, "base64url")
  return isUtf8(bytes) ? bytes.toString() : undefined
}

/**
 * Authenticates WebSockets of browsers, which cannot set headers, by a subprotocol that is a bearer token; another one
 * must be there to be agreed to. Upstream: apiserver/pkg/authentication/request/websocket/protocol.go.
 */
export const subprotocolTokens = (lookup: TokenLookup, audiences: ReadonlyArray<string>): Authenticator => ({
  authenticate: ({ headers, setSubprotocols }: Credentials): Authentication => {
    const header = headers["sec-websocket-protocol"]
    if (typeof header !== "string" || !isWebSocketRequest(headers)) return undefined
    const { others, tokens } = subprotocolsOf(header)
    const [encoded] = tokens
    if (encoded === undefined) return undefined
    const token = tokens.length > 1 ? undefined : decoded(encoded)
    if (token === "") return undefined
    if (token === undefined || others.length === 0) return "invalid"
    const user = lookup(token, audiences)?.user
    if (user === undefined) return "invalid"
    setSubprotocols?.(others.join(","))
    return user
  }
})
