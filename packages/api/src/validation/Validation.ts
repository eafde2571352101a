import type { FieldErrors } from "./FieldError.ts"

/**
 * The rules of one kind. Objects arrive defaulted, prepared (what the caller may not set is taken from the stored object)
 * and admitted. All faults are answered, in the order of the checks; none: an empty list.
 */
export interface Validation<A> {
  readonly create: (object: A) => FieldErrors
  readonly update: (object: A, old: A) => FieldErrors
  /** Kinds without a status subresource have none. */
  readonly updateStatus?: (object: A, old: A) => FieldErrors
}
