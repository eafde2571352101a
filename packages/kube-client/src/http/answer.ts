import type { Status } from "@rollcall/api"
import { parsedWithoutNulls } from "@rollcall/api/wire"
import { type Answer, ApiError, ConnectionError } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { type Headers, headerOf, type RawAnswer, type RawRequest } from "./RawRequest.ts"

const MAX_BODY_IN_MESSAGE = 2048

/**
 * The errors that client-go makes of a response that is not a Status. Upstream: apimachinery/pkg/api/errors
 * NewGenericServerResponse.
 */
const genericErrors: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  400: ["BadRequest", "the server rejected our request for an unknown reason"],
  401: ["Unauthorized", "the server has asked for the client to provide credentials"],
  403: ["Forbidden", "unknown"],
  404: ["NotFound", "the server could not find the requested resource"],
  405: ["MethodNotAllowed", "the server does not allow this method on the requested resource"],
  406: ["NotAcceptable", "the server was unable to respond with a content type that the client supports"],
  409: ["Conflict", "the server reported a conflict"],
  410: ["Gone", "the server no longer has what was asked for"],
  413: ["RequestEntityTooLarge", "the request is larger than the server takes"],
  415: ["UnsupportedMediaType", "the server does not know the content type of the request"],
  422: ["Invalid", "the server rejected our request due to an error in our request"],
  429: ["TooManyRequests", "the server has received too many requests and has asked us to try again later"],
  500: ["InternalError", "an error on the server has prevented the request from succeeding"],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
  504: [
    "Timeout",
    "the server was unable to return a response in the time allotted, but may still be processing the request"
  ]
}

const isStatus = (body: unknown): body is Status =>
  typeof body === "object" && body !== null && (body as { readonly kind?: unknown }).kind === "Status"

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses a Retry-After header in whole seconds. API servers do not use its other form, a date. */
export const retryAfterSeconds = (headers: Headers): number | undefined => {
  const text = headerOf(headers, "retry-after")
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/** Returns the error of an unsuccessful response: the server's Status, or a generic one for its status code. */
export const errorOf = ({ body, code, headers }: RawAnswer): ApiError => {
  const given = parseJson(body)
  const retryAfter = retryAfterSeconds(headers)
  const seconds = retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter }
  if (isStatus(given) && given.status !== "Success") {
    const details = retryAfter === undefined ? given.details : { ...seconds, ...given.details }
    return new ApiError({
      status: { ...given, code: given.code ?? code, ...(details === undefined ? {} : { details }) }
    })
  }
  const [reason, message] = genericErrors[code] ?? [
    code >= 500 ? "InternalError" : "Unknown",
    `the server responded with the status code ${code} but did not return more information`
  ]
  const text = body.slice(0, MAX_BODY_IN_MESSAGE).trim()
  const status: Status = {
    apiVersion: "v1",
    kind: "Status",
    metadata: {},
    status: "Failure",
    code,
    reason,
    message: text === "" ? message : `${message}: ${text}`,
    details: { ...seconds, causes: [{ reason: "UnexpectedServerResponse", message: text === "" ? "unknown" : text }] }
  }
  return new ApiError({ status })
}

interface Typed {
  readonly apiVersion?: string
  readonly kind?: string
}

/** Adds apiVersion and kind to a list's items: servers omit them, and Rollcall's objects always have them. */
const withTypedItems = (body: unknown): unknown => {
  const { apiVersion, items, kind } = body as Typed & { readonly items?: unknown }
  if (!Array.isArray(items) || typeof kind !== "string" || !kind.endsWith("List")) return body
  if ((items[0] as Typed | undefined)?.kind !== undefined) return body
  const itemKind = kind.slice(0, -"List".length)
  return {
    ...(body as object),
    items: items.map((item: object) => ({ apiVersion, kind: itemKind, ...item }))
  }
}

/** Converts a response to the result of a request. */
export const answerOf = (request: RawRequest, raw: RawAnswer): Answer => {
  if (raw.code < 200 || raw.code > 299) return Result.fail(errorOf(raw))
  const body = parsedWithoutNulls(raw.body, parseJson(raw.body))
  if (typeof body === "object" && body !== null) return Result.succeed(withTypedItems(body))
  const type = headerOf(raw.headers, "content-type") ?? "no content type"
  const shown = JSON.stringify(raw.body.slice(0, 80))
  return Result.fail(
    new ConnectionError({
      message: `${request.method} ${request.path}: the response is not a JSON object: ${shown} (${type})`
    })
  )
}
