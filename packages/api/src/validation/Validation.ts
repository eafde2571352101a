import type { FieldErrors } from "./FieldError.ts"

/**
 * The validation of one kind. Objects arrive defaulted, prepared (fields that the caller may not set are copied from
 * the stored object) and admitted. Each function returns all errors in the order of the checks; the list is empty for a
 * valid object.
 */
export interface Validation<A> {
  readonly create: (object: A) => FieldErrors
  readonly update: (object: A, old: A) => FieldErrors
  /** Absent for kinds without a status subresource. */
  readonly updateStatus?: (object: A, old: A) => FieldErrors
}
