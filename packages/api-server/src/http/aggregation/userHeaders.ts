import type { UserInfo } from "../../core/admission/Admission.ts"
import { headerOfText } from "../wire/headerText.ts"

const LEGAL = /[A-Za-z0-9!#$&'*+.^_`|~-]/

/** Returns a key of extra as the end of a header's name. Upstream: client-go/transport/round_trippers.go, headerKeyEscape. */
const escapedKey = (key: string): string =>
  [...Buffer.from(key)]
    .map((byte) => {
      const text = String.fromCharCode(byte)
      return LEGAL.test(text) ? text : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
    })
    .join("")

/**
 * Returns the headers by which another API server knows the user, names and values alternating. Upstream:
 * client-go/transport/round_trippers.go, SetAuthProxyHeaders.
 */
export const userHeaders = ({ extra = {}, groups, uid, user }: UserInfo): ReadonlyArray<string> => [
  ...["X-Remote-User", headerOfText(user)],
  ...(uid === undefined || uid === "" ? [] : ["X-Remote-Uid", headerOfText(uid)]),
  ...groups.flatMap((group) => ["X-Remote-Group", headerOfText(group)]),
  ...Object.entries(extra).flatMap(([key, values]) =>
    values.flatMap((value) => [`X-Remote-Extra-${escapedKey(key)}`, headerOfText(value)])
  )
]

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
