import { type Status, unstructuredResponse } from "@rollcall/api"
import { parsedWithoutNulls } from "@rollcall/api/wire"
import { type Answer, ApiError, ConnectionError } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { type Headers, headerOf, type RawAnswer, type RawRequest } from "./RawRequest.ts"

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
  const status = unstructuredResponse(code, body, headerOf(headers, "content-type"))
  return new ApiError({
    status: { ...status, reason: status.reason ?? "Unknown", details: { ...seconds, ...status.details } }
  })
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
