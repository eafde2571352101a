import * as Result from "effect/Result"
import type { MessageType } from "../WireType.ts"
import { CleanWalk, countMembers } from "./clean.ts"
import { completed } from "./completed.ts"
import { goSyntaxError } from "./goSyntax.ts"
import { alwaysWritten } from "./goTypes.ts"
import { nestsDeeper } from "./jsonText.ts"
import { goMaxDepth, maxDepth } from "./maxDepth.ts"
import { Fatal, Reader } from "./Reader.ts"

/** A decoded body. */
export interface Decoded {
  /**
   * Only known fields; no nulls; times and quantities as Go writes them. The parsed value itself if it already is that.
   */
  readonly value: unknown
  /** `unknown field "spec.foo"`, `duplicate field "spec.x"`, in text order. */
  readonly strictErrors: ReadonlyArray<string>
}

export interface DecodeOptions {
  /** A custom resource: unknown fields are pruned and recorded, but its schema reports wrong types. */
  readonly structural?: boolean
}

const none: ReadonlyArray<string> = []

/** JSON.parse that fails with Go's messages, also for nesting deeper than `maxDepth`. */
export const parseJson = (text: string): Result.Result<unknown, string> =>
  nestsDeeper(text, maxDepth) ? Result.fail(goSyntaxError(text) ?? "exceeded max depth") : parseDeep(text)

/**
 * As `parseJson`, up to the depth of Go's decoder: for a value that is passed to `decodeJson`, which checks the depth.
 * Deeper texts are rejected without parsing: JSON.parse of a million nested lists takes a tenth of a second.
 */
export const parseDeep = (text: string): Result.Result<unknown, string> => {
  if (nestsDeeper(text, goMaxDepth)) return Result.fail("exceeded max depth")
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return Result.fail(goSyntaxError(text) ?? "unexpected end of JSON input")
  }
  return Result.succeed(value)
}

const readCarefully = (type: MessageType, text: string, options: DecodeOptions): Result.Result<Decoded, string> => {
  const syntax = goSyntaxError(text)
  if (syntax !== undefined) return Result.fail(syntax)
  const reader = new Reader(text, options.structural === true)
  try {
    const value = reader.message(type) ?? Object.fromEntries(alwaysWritten(type))
    const { firstError, strictErrors } = reader
    return firstError === undefined ? Result.succeed({ value, strictErrors }) : Result.fail(firstError)
  } catch (error) {
    if (error instanceof Fatal) return Result.fail(error.message)
    throw error
  }
}

/** Returns the value itself, or with the fields that Go would add; undefined when `Reader` must decode it. */
const cleanValue = (
  type: MessageType,
  walk: CleanWalk,
  value: unknown,
  { structural = false }: DecodeOptions
): unknown => {
  if (walk.odd) return undefined
  return walk.lacking && !structural ? completed(type, value) : value
}

const readQuickly = (type: MessageType, text: string, parsed: unknown, options: DecodeOptions): unknown => {
  const members = countMembers(text, maxDepth)
  if (members < 0) return undefined
  const walk = new CleanWalk(true)
  walk.message(type, parsed)
  return walk.members === members ? cleanValue(type, walk, parsed, options) : undefined
}

/**
 * Decodes a JSON text into a message as Kubernetes' strict decoder does: field names are case-sensitive, null is the
 * zero value, unknown fields are dropped and reported, and the last of duplicate fields is used. Fails with Go's
 * message. `parsed` is the result of JSON.parse for the text, if the caller has it. Upstream: sigs.k8s.io/json
 * UnmarshalStrict.
 */
export const decodeJson = (
  type: MessageType,
  text: string,
  parsed: Result.Result<unknown, string> = parseDeep(text),
  options: DecodeOptions = {}
): Result.Result<Decoded, string> => {
  if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
  const value = readQuickly(type, text, parsed.success, options)
  return value === undefined ? readCarefully(type, text, options) : Result.succeed({ value, strictErrors: none })
}

/** As `decodeJson`, for a value without a text: the result of a patch, or YAML. */
export const decodeValue = (
  type: MessageType,
  value: unknown,
  options: DecodeOptions = {}
): Result.Result<Decoded, string> => {
  const walk = new CleanWalk(false)
  walk.message(type, value)
  const clean = cleanValue(type, walk, value, options)
  return clean === undefined
    ? readCarefully(type, JSON.stringify(value) ?? "null", options)
    : Result.succeed({ value: clean, strictErrors: none })
}
