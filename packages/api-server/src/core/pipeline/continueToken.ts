import { badRequest, type Status } from "@rollcall/api"
import { decodeJson, type MessageType } from "@rollcall/api/wire"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"

/** Where a list continues. */
export interface ContinuePoint {
  /** The revision that all pages of the list show; negative for the newest one. */
  readonly revision: number
  /** The first key that may follow, relative to the prefix of the list: `<name>`, or `<namespace>/<name>`. */
  readonly start: string
}

/** Returns the point that follows an object's key, relative to the prefix of the list. */
export const continueAfter = (revision: number, key: string): ContinuePoint => ({ revision, start: `${key}\0` })

/** The last character of Unicode: no name has it. */
const LAST_CHARACTER = "\u{10ffff}"

/** Returns the key that all keys from the point on follow: a server's own points name it, a client's the next one. */
export const keyBefore = ({ start }: ContinuePoint): string => {
  const last = start.charCodeAt(start.length - 1)
  const before = start.slice(0, -1)
  return last === 0 ? before : `${before}${String.fromCharCode(last - 1)}${LAST_CHARACTER}`
}

const VERSION = "meta.k8s.io/v1"

/**
 * Returns the continue token: a JSON object in base64url. Upstream: staging/src/k8s.io/apiserver/pkg/storage/continue.go.
 */
export const encodeContinue = ({ revision, start }: ContinuePoint): string =>
  Base64Url.encode(JSON.stringify({ v: VERSION, rv: revision, start }))

const invalid = (why: string) => Result.fail(badRequest(`invalid continue token: continue key is not valid${why}`))

/** Returns the position at which Go's base64.RawURLEncoding fails, or -1 for valid text. */
const base64Fault = (text: string): number => {
  const wrong = /[^\w\r\n-]/.exec(text)
  if (wrong !== null) return wrong.index
  return text.replaceAll(/[\r\n]/g, "").length % 4 === 1 ? text.length - 1 : -1
}

const optional = { required: false, omitEmpty: true, pointer: true, number: 0 }
const field = (name: string, scalar: "string" | "int64") =>
  [name, { ...optional, name, type: { type: "scalar", scalar } }] as const

/** The Go struct of a token. */
const tokenType: MessageType = {
  fullName: "storage.continueToken",
  name: "continueToken",
  goPackage: "storage",
  fields: new Map([field("v", "string"), field("rv", "int64"), field("start", "string")]),
  atomic: false
}

/** The first byte that begins no character of ASCII. */
const FIRST_BEYOND_ASCII = 0x80

/** Decodes the JSON of a token; fails with Go's message. */
const readToken = (token: string, bytes: Uint8Array): Result.Result<Readonly<Record<string, unknown>>, string> => {
  const [first = 0] = bytes
  if (first >= FIRST_BEYOND_ASCII) {
    // Go's scanner shows a byte as the character with its number.
    const isPrinted = first > 0xa0 && first !== 0xad
    const shown = isPrinted ? String.fromCharCode(first) : `\\u${first.toString(16).padStart(4, "0")}`
    return Result.fail(`invalid character '${shown}' looking for beginning of value`)
  }
  const decoded = decodeJson(
    tokenType,
    Result.getOrElse(Base64Url.decodeString(token), () => "")
  )
  return Result.map(decoded, ({ value }) => value as Readonly<Record<string, unknown>>)
}

/** Whether Go's path.Clean leaves the key unchanged. */
const isClean = (key: string): boolean =>
  key === "/" || !key.split("/").some((segment, index) => index > 0 && ["", ".", ".."].includes(segment))

/** Parses a continue token; fails with the messages of kube-apiserver. Go's base64 skips line breaks. */
export const decodeContinue = (given: string): Result.Result<ContinuePoint, Status> => {
  const token = given.replaceAll(/[\r\n]/g, "")
  const fault = base64Fault(given)
  const bytes = fault < 0 ? Base64Url.decode(token) : undefined
  if (bytes === undefined || Result.isFailure(bytes)) return invalid(`: illegal base64 data at input byte ${fault}`)
  const read = readToken(token, bytes.success)
  if (Result.isFailure(read)) return invalid(`: ${read.failure}`)
  const { rv = 0, start = "", v = "" } = read.success
  if (v !== VERSION) return invalid(`: server does not recognize this encoded version ${v}`)
  if (rv === 0) return invalid(`: incorrect encoded start resourceVersion (version ${VERSION})`)
  if (start === "") return invalid(`: encoded start key empty (version ${VERSION})`)
  const key = String(start)
  if (!isClean(key.startsWith("/") ? key : `/${key}`)) return invalid(`: ${key}`)
  return Result.succeed({ revision: Number(rv), start: key.replace(/^\//, "") })
}
