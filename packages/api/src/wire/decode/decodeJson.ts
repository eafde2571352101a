import * as Result from "effect/Result"
import { parseExactly, parseLiterally, parseWithTexts } from "../../exactJson.ts"
import { markEmpties } from "../empties.ts"
import { keepsText } from "../rawText.ts"
import type { MessageType } from "../WireType.ts"
import { markWholeFloats, mayHaveWholeFloats } from "../wholeFloats.ts"
import { addAlwaysWritten } from "./addAlwaysWritten.ts"
import { CleanCheck, countMembers } from "./clean.ts"
import { goSyntaxError } from "./goSyntax.ts"
import { alwaysWrittenFields } from "./goTypes.ts"
import { nestsDeeper } from "./jsonText.ts"
import { goMaxDepth, maxDepth } from "./maxDepth.ts"
import { Fatal, Reader } from "./Reader.ts"

export interface Decoded {
  /**
   * The message with known fields only, without nulls, and with times and quantities as Go writes them. It is the parsed
   * value itself if that has this form. Lists and maps that were given as empty are kept (see empties.ts).
   */
  readonly value: unknown
  /** Errors such as `unknown field "spec.foo"` and `duplicate field "spec.x"`, in text order; at most 100. */
  readonly strictErrors: ReadonlyArray<string>
  /** The top-level fields that are unknown, or in which there are unknown fields. */
  readonly unknownFields: ReadonlySet<string>
}

export interface DecodeOptions {
  /** Set for a custom resource: unknown fields are pruned and recorded, but wrong types are left to its schema. */
  readonly structural?: boolean
  /** Set for a value that Go converts from a map, as of a strategic merge patch: its strict errors have other paths. */
  readonly isConverted?: boolean
  /** Set for a value with numbers that are their texts. */
  readonly hasLiterals?: boolean
}

const sound = { strictErrors: [], unknownFields: new Set<string>() }

/** What Go says of the opening bracket that is one level too deep. */
const TOO_DEEP = "invalid character '[' exceeded max depth"

/** Parses JSON; fails with Go's message for invalid JSON and for nesting deeper than `maxDepth`. */
export const parseJson = (text: string): Result.Result<unknown, string> =>
  nestsDeeper(text, maxDepth) ? Result.fail(goSyntaxError(text) ?? TOO_DEEP) : parseToGoDepth(text)

/** Parses the JSON of a patch, as `parseJson` does, and keeps the texts of numbers, which the patch does not read. */
export const parsePatchJson = (text: string, parse = parseLiterally): Result.Result<unknown, string> =>
  nestsDeeper(text, maxDepth) ? Result.fail(goSyntaxError(text) ?? TOO_DEEP) : parseToGoDepth(text, parse)

/** Parses a JSON patch, as `parsePatchJson` does, and keeps the texts of all scalars, which its tests compare. */
export const parseJsonPatch = (text: string): Result.Result<unknown, string> => parsePatchJson(text, parseWithTexts)

/**
 * Parses JSON that may be nested as deeply as Go's decoder allows (`goMaxDepth`), for a value that is passed to
 * `decodeJson`, which checks `maxDepth` itself. Deeper texts are rejected without parsing, because JSON.parse of a
 * million nested lists takes a tenth of a second.
 */
export const parseToGoDepth = (text: string, parse = parseExactly): Result.Result<unknown, string> => {
  if (nestsDeeper(text, goMaxDepth)) return Result.fail(goSyntaxError(text) ?? TOO_DEEP)
  let value: unknown
  try {
    value = parse(text)
  } catch {
    return Result.fail(goSyntaxError(text) ?? "unexpected end of JSON input")
  }
  return Result.succeed(value)
}

/** Decodes a text of any form with `Reader`; `read` calls its method for the type. */
const readWith = (
  text: string,
  options: DecodeOptions,
  read: (reader: Reader) => unknown
): Result.Result<Decoded, string> => {
  const syntaxError = goSyntaxError(text)
  if (syntaxError !== undefined) return Result.fail(syntaxError)
  const reader = new Reader(text, options.structural === true, options.isConverted)
  try {
    const value = read(reader)
    const { firstError, strictErrors, unknownFields } = reader
    return firstError === undefined ? Result.succeed({ value, strictErrors, unknownFields }) : Result.fail(firstError)
  } catch (error) {
    if (error instanceof Fatal) return Result.fail(error.message)
    throw error
  }
}

const readCarefully = (type: MessageType, text: string, options: DecodeOptions): Result.Result<Decoded, string> =>
  readWith(text, options, (reader) => {
    const value = reader.message(type) ?? Object.fromEntries(alwaysWrittenFields(type))
    return markWholeFloats(reader.holdsEmpties ? markEmpties(type, value) : value, reader.wholeFloats)
  })

/** Decodes the JSON text of a list of messages (the operations of a JSON patch) as `decodeJson` does one message. */
export const decodeJsonList = (type: MessageType, text: string): Result.Result<Decoded, string> =>
  readWith(text, {}, (reader) => reader.messages(type))

/**
 * Returns a checked value, with the fields that Go would add; undefined if `Reader` must decode it. They are added to the value
 * itself if `isOwn` says that nobody else has it.
 */
const cleanValue = (
  type: MessageType,
  check: CleanCheck,
  value: unknown,
  { structural = false }: DecodeOptions,
  isOwn: boolean
): unknown => {
  if (check.differs || (structural && check.holdsEmpties)) return undefined
  const lacksFields = check.lacksFields && !structural
  if (lacksFields && isOwn) check.addMissing()
  const whole = lacksFields && !isOwn ? addAlwaysWritten(type, value) : value
  return check.holdsEmpties ? markEmpties(type, whole) : whole
}

/**
 * Returns the parsed value if the text is as Go would write it; undefined if `Reader` must decode the text. Fewer members
 * in the value than in the text mean duplicate fields, which JSON.parse drops.
 */
const readQuickly = (type: MessageType, text: string, parsed: unknown, options: DecodeOptions): unknown => {
  const members = countMembers(text, maxDepth)
  if (members < 0) return undefined
  const check = new CleanCheck(true)
  check.message(type, parsed)
  return check.members === members ? cleanValue(type, check, parsed, options, true) : undefined
}

/**
 * Decodes a JSON text into a message as Kubernetes' strict decoder does: field names are case-sensitive, null is the
 * zero value, unknown fields are dropped and reported, and duplicate fields are merged: the last value of each field
 * within them is used. Fails with Go's message. `parsed` is the result of `parseToGoDepth` for the text, if the caller has it: it becomes the value. Upstream: sigs.k8s.io/json
 * UnmarshalStrict.
 */
export const decodeJson = (
  type: MessageType,
  text: string,
  parsed: Result.Result<unknown, string> = parseToGoDepth(text),
  options: DecodeOptions = {}
): Result.Result<Decoded, string> => {
  if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
  const hasFloats = options.structural === true && mayHaveWholeFloats(text)
  if (hasFloats || keepsText(type)) return readCarefully(type, text, options)
  const value = readQuickly(type, text, parsed.success, options)
  return value === undefined ? readCarefully(type, text, options) : Result.succeed({ value, ...sound })
}

/** Decodes a value that has no JSON text, such as the result of a patch or a YAML document, as `decodeJson` does. */
export const decodeValue = (
  type: MessageType,
  value: unknown,
  options: DecodeOptions = {}
): Result.Result<Decoded, string> => {
  if (keepsText(type) || options.hasLiterals === true) {
    return readCarefully(type, JSON.stringify(value) ?? "null", options)
  }
  const check = new CleanCheck(false)
  check.message(type, value)
  const clean = cleanValue(type, check, value, options, false)
  return clean === undefined
    ? readCarefully(type, JSON.stringify(value) ?? "null", options)
    : Result.succeed({ value: clean, ...sound })
}
