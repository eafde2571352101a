import type { ControllerRevision } from "../objects/ControllerRevision.ts"
import { compactText, rawText } from "../wire/rawText.ts"
import { type FieldErrors, RawJson } from "./FieldError.ts"
import { controllerRevisionRules } from "./storageClass.ts"

/**
 * Validates an update. The data may not change by as much as a blank: a patch of data that were not compact is refused
 * whatever it changes. Upstream: pkg/apis/apps/validation/validation.go, ValidateControllerRevisionUpdate, which compares
 * the bytes.
 */
export const validateControllerRevisionUpdate = (
  revision: ControllerRevision,
  old: ControllerRevision
): FieldErrors => {
  const { data } = revision
  const errors = controllerRevisionRules.update(revision, { ...old, data })
  const text = rawText(data)
  if (text === rawText(old.data)) return errors
  const badValue = text === undefined ? null : new RawJson(compactText(text))
  return [...errors, { type: "FieldValueInvalid", field: "data", badValue, detail: "field is immutable" }]
}
