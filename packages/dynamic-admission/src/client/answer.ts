import { type Status, unstructuredResponse } from "@rollcall/api"
import { type Fields, isFields } from "@rollcall/api/values"
import { parseJson } from "@rollcall/api/wire"
import * as Result from "effect/Result"
import type { CallFault } from "../ports.ts"

export type CallResult = Result.Result<Fields, CallFault>

export const fault = (message: string, code = 503): CallResult => Result.fail({ message, code, isUnsent: false })

/** Parses an answer as a body of the API: its integers keep their digits, and it does not nest too deeply. */
const parse = (text: string): unknown => Result.getOrUndefined(parseJson(text))

/** Returns the object that a webhook answered. Upstream: client-go/rest/request.go, Result.Into. */
export const readAnswer = (code: number, type: string, text: string): CallResult => {
  const body = parse(text)
  if (code < 200 || code > 206) {
    const status = isFields(body) && body.kind === "Status" ? (body as Fields as unknown as Status) : undefined
    return fault(status?.message ?? unstructuredResponse(code, text, type).message ?? "", code)
  }
  if (text === "") {
    // Without a type of its own, the answer has that of the request.
    return fault(`0-length response with status code: ${code} and content type: ${type || "application/json"}`)
  }
  if (isFields(body)) return Result.succeed(body)
  if (body === null) return Result.succeed({})
  return fault(`couldn't get version/kind; json parse error: ${jsonFault(text, body)}`)
}

const goType = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

/** Returns Go's error for a text that is not an object of JSON. */
const jsonFault = (text: string, value: unknown): string => {
  // What does not begin as JSON is read as YAML, where most texts are strings.
  const parsed = /^\s*[[{]/.test(text) ? parseJson(text) : undefined
  if (parsed !== undefined && Result.isFailure(parsed)) return parsed.failure
  const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof (value ?? "")
  return `json: cannot unmarshal ${kind} into Go value of type ${goType}`
}
