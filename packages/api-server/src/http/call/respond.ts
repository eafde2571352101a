import { gzip } from "node:zlib"
import { escapeHtml, type KubeObject, type Status } from "@rollcall/api"
import { withSortedKeys } from "@rollcall/api/values"
import { isUntyped, withNulls } from "@rollcall/api/wire"
import { isSteps, type MaybeSteps, type Steps } from "@rollcall/time"
import { objectJson } from "../../core/watch/objectJson.ts"
import { encodeBodyInSteps } from "../codec/encodeBody.ts"
import { type Encoding, mediaTypeOf, type Negotiated, negotiate, noAcceptedType } from "../request/mediaTypes.ts"
import { connectionOf } from "../wire/Connections.ts"
import { headerOfText } from "../wire/headerText.ts"
import { PIECE_BYTES } from "../wire/Outbox.ts"
import type { Call } from "./Call.ts"
import { GZIP_LEVEL } from "./GzipPieces.ts"
import { type LazyList, ListPieces } from "./ListStream.ts"

type Encoded = Buffer | string | undefined

/** Encodes a value; returns undefined if it cannot be encoded so (a custom resource in protobuf). */
export const encodeValueInSteps = (value: unknown, encoding: Encoding, pretty: boolean): MaybeSteps<Encoded> => {
  if (encoding === "json" && !pretty) return `${objectJson(value as KubeObject)}\n`
  const form = encoding === "protobuf" ? value : withNulls(value)
  if (encoding === "json") return prettyJson(isUntyped(form) ? withSortedKeys(form) : form)
  const encoded = encodeBodyInSteps(mediaTypeOf[encoding], form)
  return isSteps(encoded) ? toBufferInSteps(encoded) : bufferOf(encoded)
}

const toBufferInSteps = function* (steps: Steps<string | Uint8Array | undefined>): Steps<Encoded> {
  return bufferOf(yield* steps)
}

const bufferOf = (encoded: string | Uint8Array | undefined): Encoded =>
  encoded === undefined || typeof encoded === "string"
    ? encoded
    : Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength)

const INDENT = 2
/** The number of items written between two yields. */
const ITEMS_PER_STEP = 256

const indentedJson = (value: unknown): string => escapeHtml(JSON.stringify(value, undefined, INDENT))

const prettyJson = (value: unknown): MaybeSteps<string> => {
  const items = typeof value === "object" && value !== null && "items" in value ? value.items : undefined
  return Array.isArray(items) && items.length > ITEMS_PER_STEP
    ? prettyListInSteps(value as object, items)
    : indentedJson(value)
}

/** Returns the text that JSON.stringify would write for a list, in steps. */
const prettyListInSteps = function* (list: object, items: ReadonlyArray<unknown>): Steps<string> {
  const parts: Array<string> = []
  for (let at = 0; at < items.length; at += ITEMS_PER_STEP) {
    const text = indentedJson({ items: items.slice(at, at + ITEMS_PER_STEP) })
    parts.push(text.slice("{\n".length, -"\n}".length).slice(START.length, -END.length))
    yield
  }
  // This text occurs once: within strings, quotes and line breaks are escaped, and deeper levels are indented further.
  const shell = indentedJson({ ...list, items: [null] })
  return shell.replace(`${START}    null${END}`, () => `${START}${parts.join(",\n")}${END}`)
}

/** What JSON.stringify writes around the items of a list. */
const START = '  "items": [\n'
const END = "\n  ]"

/** The limits of warnings, in characters: if they exceed the total, each is truncated to the second. */
const MAX_WARNING_CHARACTERS = 4 * 1024
const TRUNCATED_WARNING_CHARACTERS = 256

/**
 * Returns the `Warning` headers of these texts, each once: `299 - "text"`. If they exceed 4,096 characters in total,
 * each is truncated to 256, and once those reach 4,096 the rest is omitted. A text with control characters has no
 * header. Upstream: apiserver/pkg/endpoints/filters/warning.go; apimachinery/pkg/util/net, NewWarningHeader.
 */
export const warningHeaders = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const distinct = [...new Set(texts)].filter((text) => text !== "" && !CONTROL.test(text))
  const lengths: Array<number> = []
  let whole = 0
  for (const text of distinct) {
    // Characters that will be truncated need not be counted.
    lengths.push(text.length > 2 * MAX_WARNING_CHARACTERS ? MAX_WARNING_CHARACTERS + 1 : [...text].length)
    whole += lengths.at(-1) as number
    if (whole > MAX_WARNING_CHARACTERS) break
  }
  if (whole <= MAX_WARNING_CHARACTERS) return distinct.map(headerOf)
  const headers: Array<string> = []
  let characters = 0
  for (const [index, text] of distinct.entries()) {
    // The warnings before the limit was reached are all sent again.
    if (index >= lengths.length && characters >= MAX_WARNING_CHARACTERS) break
    const shown = [...text.slice(0, 2 * TRUNCATED_WARNING_CHARACTERS)].slice(0, TRUNCATED_WARNING_CHARACTERS)
    characters += shown.length
    headers.push(headerOf(shown.join("")))
  }
  return headers
}

const headerOf = (text: string): string =>
  `299 - "${headerOfText(text.replaceAll("\\", "\\\\").replaceAll('"', '\\"'))}"`

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/**
 * Answers of up to this size are not compressed. Upstream: apiserver/pkg/endpoints/handlers/responsewriters/writers.go,
 * defaultGzipThresholdBytes.
 */
const GZIP_ABOVE_BYTES = 128 * 1024

const CACHE_CONTROL = "no-cache, private"

/** Ends the call with a body. Does nothing if an answer has begun or the client is gone. */
export const send = (
  call: Call,
  code: number,
  contentType: string,
  body: Buffer | string,
  bytes: number = lengthOf(body)
): void => {
  const { response } = call
  if (response.headersSent || response.destroyed) return
  response.statusCode = code
  if (!response.hasHeader("Cache-Control")) response.setHeader("Cache-Control", CACHE_CONTROL)
  response.setHeader("Content-Type", contentType)
  const noBody = call.request.method === "HEAD"
  // A string is sent in one piece with the headers.
  response.setHeader("Content-Length", bytes)
  call.end(noBody ? undefined : body)
  call.done(code)
}

/** Ends the call with a code, without body and type. */
export const sendEmpty = (call: Call, code: number): void => {
  const { response } = call
  if (response.headersSent || response.destroyed) return
  response.statusCode = code
  if (!response.hasHeader("Cache-Control")) response.setHeader("Cache-Control", CACHE_CONTROL)
  if (code !== 304) response.setHeader("Content-Length", 0)
  call.end(undefined)
  call.done(code)
}

/** Ends the call for a client that has the content already. */
export const sendUnchanged = (call: Call): void => sendEmpty(call, 304)

const lengthOf = (body: Buffer | string): number => (typeof body === "string" ? Buffer.byteLength(body) : body.length)

const warningsOf = ({ warnings }: Call, more: ReadonlyArray<string>): ReadonlyArray<string> =>
  warnings.length === 0 ? more : [...warnings, ...more]

/** Ends the call with a value in the negotiated encoding. */
export const sendValue = (call: Call, code: number, value: unknown, more: ReadonlyArray<string> = []): void => {
  const { negotiated, response } = call
  const warnings = warningsOf(call, more)
  if (warnings.length > 0) response.setHeader("Warning", warningHeaders(warnings))
  const encoding = negotiated?.encoding ?? "json"
  const encoded = encodeValueInSteps(value, encoding, isPretty(call))
  const form = { code, encoding, warns: warnings.length > 0 }
  if (isSteps(encoded)) call.runInSteps(encodeAndSend(call, encoded, form))
  else sendEncoded(call, encoded, form)
}

/** How a value is sent: with which code and encoding, and whether warnings go with it. */
interface AnswerForm {
  readonly code: number
  readonly encoding: Encoding
  readonly warns: boolean
}

const encodeAndSend = function* (call: Call, encoded: Steps<Encoded>, form: AnswerForm): Steps<void> {
  sendEncoded(call, yield* encoded, form)
}

const sendEncoded = (call: Call, body: Encoded, { code, encoding, warns }: AnswerForm): void => {
  if (body === undefined) {
    // The client accepts only this encoding, and the value does not support it.
    sendStatus(call, noAcceptedType())
    return
  }
  sendBody(call, code, mediaTypeOf[encoding], body, warns)
}

/** Ends the call with a list as JSON; a large one is sent as the client reads. */
export const sendList = (call: Call, code: number, list: LazyList, more: ReadonlyArray<string>) => {
  const { response } = call
  const warnings = warningsOf(call, more)
  if (warnings.length > 0) response.setHeader("Warning", warningHeaders(warnings))
  const pieces = new ListPieces(list)
  const first = pieces.take(PIECE_BYTES)
  if (pieces.isDone || call.request.method === "HEAD")
    return sendBody(call, code, mediaTypeOf.json, first, warnings.length > 0)
  if (response.headersSent || response.destroyed) return
  response.statusCode = code
  response.setHeader("Cache-Control", CACHE_CONTROL)
  response.setHeader("Content-Type", mediaTypeOf.json)
  // A piece is longer than answers that are not compressed.
  const isGzipped = acceptsGzip(call)
  if (isGzipped) setGzipHeaders(call)
  call.stream(pieces, first, isGzipped)
  call.done(code)
}

export const sendBody = (
  call: Call,
  code: number,
  contentType: string,
  encoded: Buffer | string,
  warns: boolean
): void => {
  // Node would encode the headers as UTF-8 together with a string, but warnings are bytes already.
  const body = warns && typeof encoded === "string" ? Buffer.from(encoded) : encoded
  const bytes = lengthOf(body)
  if (bytes <= GZIP_ABOVE_BYTES || !acceptsGzip(call)) {
    send(call, code, contentType, body, bytes)
    return
  }
  // Megabytes are compressed in the thread pool, not on the event loop.
  const entry = call.unsent.register(connectionOf(call.request), call.identity.user, call.response, bytes)
  gzip(body, { level: GZIP_LEVEL }, (error, zipped) =>
    call.guard(() => {
      call.unsent.release(entry)
      if (error !== null) return send(call, code, contentType, body)
      setGzipHeaders(call)
      send(call, code, contentType, zipped)
    })
  )
}

const setGzipHeaders = ({ response }: Call): void => {
  response.setHeader("Content-Encoding", "gzip")
  response.setHeader("Vary", "Accept-Encoding")
}

/**
 * Ends the call with a Status. It has no other representation, and a client that accepts none of its encodings receives
 * JSON. Upstream: responsewriters.ErrorNegotiated.
 */
export const sendStatus = (call: Call, status: Status, warnings: ReadonlyArray<string> = []) => {
  const retryAfter = status.details?.retryAfterSeconds
  if (retryAfter !== undefined && retryAfter > 0) call.response.setHeader("Retry-After", retryAfter)
  call.negotiated = negotiate(call.header("accept"), "plain") ?? INDENTED
  sendValue(call, status.code ?? 500, wellFormed(status), warnings)
}

/** Returns the value with U+FFFD in place of each byte of the request that is no UTF-8, in all its texts. */
const wellFormed = <A>(value: A): A => {
  if (typeof value === "string") return value.toWellFormed() as A
  if (Array.isArray(value)) return value.map(wellFormed) as A
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, wellFormed(field)])) as A
}

/** The form of an answer that was not negotiated. */
const INDENTED: Negotiated = { encoding: "json", as: undefined, version: "", pretty: true }

/** Ends the call like Go's http.NotFound: with plain text instead of a Status. */
export const sendPageNotFound = (call: Call): void => sendText(call, 404, "404 page not found\n")

/** Ends the call with plain text. */
export const sendText = (call: Call, code: number, text: string) => {
  call.response.setHeader("X-Content-Type-Options", "nosniff")
  send(call, code, "text/plain; charset=utf-8", text)
}

/** Whether `gzip` is among the accepted encodings by this very name: one with a quality is another name. */
const acceptsGzip = (call: Call): boolean =>
  call
    .header("accept-encoding")
    ?.split(",")
    .some((token) => token.trim() === "gzip") === true

/** Whether the answer is indented: on request, or for programs that show it to people. */
export const isPretty = (call: Call): boolean => {
  if (call.negotiated?.pretty === true) return true
  const asked = call.query.text("pretty") ?? ""
  if (asked !== "") return TRUE_TEXTS.has(asked)
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(call.request.headers["user-agent"] ?? "")
}

/** The texts that Go's strconv.ParseBool takes for true. */
const TRUE_TEXTS: ReadonlySet<string> = new Set(["1", "t", "T", "true", "TRUE", "True"])

/** Answers for authentication and authorization. Upstream: endpoints/handlers/responsewriters/errors.go, Forbidden. */
export const sendRefusal = (call: Call, status: Status): void => {
  if (status.code !== 401) call.response.setHeader("X-Content-Type-Options", "nosniff")
  sendStatus(call, status)
}
