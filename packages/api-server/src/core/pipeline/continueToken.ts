import { badRequest, type Status } from "@rollcall/api"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"

/** Where a list continues. */
export interface ContinuePoint {
  /** The revision that all pages of the list show; -1 for the newest one. */
  readonly revision: number
  /** The last object of the page before: `/<namespace>/<name>` or `/<name>`, relative to the kind's prefix. */
  readonly after: string
}

const VERSION = "meta.k8s.io/v1"

/**
 * Returns the continue token: a JSON object in base64url. Its key `start` is the first key that may follow `after`.
 * Upstream: staging/src/k8s.io/apiserver/pkg/storage/continue.go.
 */
export const encodeContinue = ({ after, revision }: ContinuePoint): string =>
  Base64Url.encode(JSON.stringify({ v: VERSION, rv: revision, start: `${after}\0` }))

const invalid = (why: string) => Result.fail(badRequest(`invalid continue token: ${why}`))

/** Quotes a byte as Go does. */
const quotedByte = (byte: number): string =>
  byte < 0x20 || byte >= 0x7f ? `'\\u${byte.toString(16).padStart(4, "0")}'` : `'${String.fromCharCode(byte)}'`

/** Parses JSON; returns undefined if it is invalid. The parser's error is not needed: the message is Go's. */
const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses a continue token; fails with the messages of kube-apiserver. */
export const decodeContinue = (token: string): Result.Result<ContinuePoint, Status> => {
  const bytes = Base64Url.decode(token)
  if (Result.isFailure(bytes)) return invalid("continue key is not valid: illegal base64 data at input byte 0")
  const text = Base64Url.decodeString(token)
  const value = Result.isSuccess(text) ? parse(text.success) : undefined
  if (value === undefined) {
    const [first] = bytes.success
    return invalid(
      first === undefined
        ? "continue key is not valid: unexpected end of JSON input"
        : `continue key is not valid: invalid character ${quotedByte(first)} looking for beginning of value`
    )
  }
  if (typeof value !== "object" || value === null) return invalid("continue key is not valid: not an object")
  const { rv, start, v } = value as { readonly v?: unknown; readonly rv?: unknown; readonly start?: unknown }
  if (v !== VERSION) return invalid(`server does not recognize this encoded version ${JSON.stringify(v ?? "")}`)
  if (typeof rv !== "number" || !Number.isInteger(rv) || rv === 0) {
    return invalid(`incorrect encoded start resourceVersion (version ${VERSION})`)
  }
  if (typeof start !== "string" || start === "") return invalid(`encoded start key empty (version ${VERSION})`)
  if (!start.startsWith("/") || start.includes("/../")) return invalid(`incorrect encoded start key: ${start}`)
  return Result.succeed({ revision: rv, after: start.endsWith("\0") ? start.slice(0, -1) : start })
}
