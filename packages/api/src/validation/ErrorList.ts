import { type FieldError, type FieldErrors, type FieldErrorType, noErrors, RawJson } from "./FieldError.ts"
import { goQuote } from "./goFormat.ts"
import type { Messages } from "./names.ts"

/**
 * The maximum number of reported errors of one object. Upstream reports all; a body of 3 MiB may have a million, each
 * with a message longer than the invalid value.
 */
export const maxErrors = 1000

/**
 * Collects errors in the order of the checks, up to `maxErrors`. It allocates no array before the first error, so
 * validating a valid object costs one small allocation.
 */
export class ErrorList {
  private errors: Array<FieldError> | undefined = undefined
  private found = 0

  /** The errors found so far. */
  get all(): FieldErrors {
    return this.errors ?? noErrors
  }

  /** The number of errors found, including those beyond `maxErrors`. */
  get size(): number {
    return this.found
  }

  add(type: FieldErrorType, field: string, badValue: unknown, detail: string): void {
    if (this.errors === undefined) this.errors = []
    this.found++
    if (this.errors.length < maxErrors) this.errors.push({ type, field, badValue, detail })
  }

  required(field: string, detail = ""): void {
    this.add("FieldValueRequired", field, "", detail)
  }

  invalid(field: string, badValue: unknown, detail: string): void {
    this.add("FieldValueInvalid", field, badValue, detail)
  }

  /** Adds one error for each message of a name check. */
  invalidEach(field: string, badValue: unknown, messages: Messages): void {
    for (const message of messages) this.invalid(field, badValue, message)
  }

  /** Adds an error for a value of an enumeration, which Go has as a type of its own and shows as JSON. */
  notSupported(field: string, badValue: unknown, supported: ReadonlyArray<string>): void {
    const detail = supported.length === 0 ? "" : `supported values: ${supported.map(goQuote).join(", ")}`
    this.add("FieldValueNotSupported", field, badValue, detail)
  }

  /** Adds an error for a text that is Go's `string`. */
  notSupportedText(field: string, text: string, supported: ReadonlyArray<string>): void {
    this.notSupported(field, new RawJson(goQuote(text)), supported)
  }

  duplicate(field: string, badValue: unknown, detail = ""): void {
    this.add("FieldValueDuplicate", field, badValue, detail)
  }

  notFound(field: string, badValue: unknown, detail = ""): void {
    this.add("FieldValueNotFound", field, badValue, detail)
  }

  forbidden(field: string, detail: string): void {
    this.add("FieldValueForbidden", field, "", detail)
  }

  tooLong(field: string, maxBytes: number): void {
    this.add("FieldValueTooLong", field, "", `may not be more than ${maxBytes} ${maxBytes === 1 ? "byte" : "bytes"}`)
  }

  tooMany(field: string, found: number, max: number): void {
    this.add("FieldValueTooMany", field, found, `must have at most ${max} ${max === 1 ? "item" : "items"}`)
  }

  /** Adds an error for a negative number. */
  nonNegative(field: string, value: number | undefined): void {
    if (value !== undefined && value < 0) this.invalid(field, value, "must be greater than or equal to 0")
  }

  /** Appends errors found elsewhere. */
  append(errors: FieldErrors): void {
    if (errors.length === 0) return
    if (this.errors === undefined) this.errors = []
    this.found += errors.length
    for (const error of errors) {
      if (this.errors.length >= maxErrors) return
      this.errors.push(error)
    }
  }
}
