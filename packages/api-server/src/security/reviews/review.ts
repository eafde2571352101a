import { invalid, type KubeObject, type Resource, type Status } from "@rollcall/api"
import type { FieldError, FieldErrors } from "@rollcall/api/validation"

/* The common parts of all kinds of reviews, which are answered and not stored. */

export const authorizationGroup = "authorization.k8s.io"
export const authenticationGroup = "authentication.k8s.io"

/** Makes the resource of a review: its plural is its kind in lower case with an s. */
export const reviewResource = (kind: string, group: string, namespaced: boolean): Resource => ({
  kind,
  group,
  version: "v1",
  plural: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
  shortNames: [],
  namespaced
})

/** A posted object, before its fields are checked. */
export interface Posted extends KubeObject {
  readonly spec?: unknown
  readonly status?: unknown
}

export type Fields = Readonly<Record<string, unknown>>

/** Returns the value if it is a JSON object. */
export const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined

/** Returns the value if it is a text, otherwise "". */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** Returns the texts in a list; none if the value is not a list. */
export const textsOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : []

/** Makes the error that a field's value is invalid. */
export const fault = (field: string, badValue: unknown, detail: string): FieldError => ({
  type: "FieldValueInvalid",
  field,
  badValue,
  detail
})

/** Returns the error for an invalid access review, which names no kind, as upstream. */
export const invalidReview = (errors: FieldErrors): Status =>
  invalid({ group: authorizationGroup, kind: "" }, "", errors)

/** Returns the response: the posted object with the spec and the status. */
export const answer = ({ apiVersion, kind, metadata }: Posted, spec: unknown, status: object): KubeObject =>
  ({ apiVersion, kind, metadata, spec: spec ?? {}, status }) as KubeObject
