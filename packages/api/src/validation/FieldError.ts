import { goNumber } from "../patch/goText.ts"
import { goJson, goQuote } from "./goFormat.ts"

/**
 * The type of an error; the value is the reason of its cause in a Status. Upstream:
 * apimachinery/pkg/util/validation/field/errors.go.
 */
export type FieldErrorType =
  | "FieldValueNotFound"
  | "FieldValueRequired"
  | "FieldValueDuplicate"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTypeInvalid"
  | "InternalError"

const titles: Readonly<Record<FieldErrorType, string>> = {
  FieldValueNotFound: "Not found",
  FieldValueRequired: "Required value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooMany: "Too many",
  FieldValueTypeInvalid: "Invalid value",
  InternalError: "Internal error"
}

/** One error of one field. */
export interface FieldError {
  readonly type: FieldErrorType
  /** The field's path: JSON names, `[i]` for items, `[key]` for entries of maps; `[]` is the whole object. */
  readonly field: string
  /** The invalid value, in the shape of the server's internal type; undefined prints as null. */
  readonly badValue: unknown
  readonly detail: string
}

export type FieldErrors = ReadonlyArray<FieldError>

/** The result without errors: always this instance, so callers may compare by length or by reference. */
export const noErrors: FieldErrors = []

const withoutValue: ReadonlySet<FieldErrorType> = new Set([
  "FieldValueRequired",
  "FieldValueForbidden",
  "FieldValueTooLong",
  "InternalError"
])

/** A bad value that is too large for the message. Upstream: field.OmitValueType. */
export const omittedValue = Symbol("omitted")

/** A bad value that is shown as the JSON text that it came as. */
export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * A bad value whose Go type is a named string or a pointer to a string: it is shown as JSON, an absent one as null. A value whose type is
 * `string` is shown by `%q`.
 */
export const typed = (text: string | undefined): RawJson | undefined =>
  text === undefined ? undefined : new RawJson(goJson(text))

const badValueText = (value: unknown, isEnumeration: boolean): string => {
  if (value instanceof RawJson) return value.text
  if (value === undefined || value === null) return "null"
  if (typeof value === "string") return isEnumeration ? goJson(value) : goQuote(value)
  if (typeof value === "number") return goNumber(value)
  return typeof value === "object" ? goJson(value) : String(value)
}

/** Returns the message of the error's cause: `Invalid value: "x": must be …`. */
export const fieldErrorBody = ({ type, badValue, detail }: FieldError): string => {
  const title =
    withoutValue.has(type) || badValue === omittedValue
      ? titles[type]
      : `${titles[type]}: ${badValueText(badValue, type === "FieldValueNotSupported")}`
  return detail === "" ? title : `${title}: ${detail}`
}

/** Returns the error as part of a message: `spec.nodeName: Invalid value: …`. */
export const fieldErrorText = (error: FieldError): string => `${error.field}: ${fieldErrorBody(error)}`

/** The maximum length of the errors in a Status, in characters. The first error is included whatever its length. */
const maxTextLength = 1024 * 1024

/** Returns the first errors that have this length together: several errors may each show a value as large as the object. */
export const boundedErrors = (errors: FieldErrors): FieldErrors => {
  if (errors.length <= 1) return errors
  let remaining = maxTextLength
  for (let count = 0; count < errors.length; count++) {
    if (remaining <= 0) return errors.slice(0, count)
    remaining -= fieldErrorText(errors[count] as FieldError).length
  }
  return errors
}

/**
 * Formats all errors as one text: without duplicates, in order, and in brackets if there are several. `bodies` are their messages: a
 * caller that has them gives them, because a bad value may be megabytes long.
 */
export const fieldErrorsText = (errors: FieldErrors, bodies = errors.map(fieldErrorBody)): string => {
  const texts = [...new Set(errors.map(({ field }, index) => `${field}: ${bodies[index] ?? ""}`))]
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`
}
