import type { LabelSelector, LabelSelectorRequirement } from "../objects/Meta.ts"
import type { ErrorList } from "./ErrorList.ts"
import { typed } from "./FieldError.ts"
import { sortedMap } from "./goFormat.ts"
import { byteLength, isQualifiedName, isValidLabelValue } from "./names.ts"

type StringMap = Readonly<Record<string, string>>

/** Checks a label key, or another name with the same syntax. */
export const validateLabelName = (errors: ErrorList, name: string | undefined, path: string): void => {
  errors.invalidEach(path, name ?? "", isQualifiedName(name ?? ""))
}

/** Checks labels. Errors have the path of the map; their value is the offending key or label value. */
export const validateLabels = (errors: ErrorList, labels: StringMap | undefined, path: string): void => {
  if (labels === undefined) return
  for (const key of Object.keys(labels)) {
    validateLabelName(errors, key, path)
    const value = labels[key] ?? ""
    errors.invalidEach(path, value, isValidLabelValue(value))
  }
}

const maxAnnotationBytes = 256 * 1024

/**
 * Checks annotations. Keys are checked in lower case; keys and values together must not exceed 256 KiB, without that of a
 * key which Go reads into a field.
 */
export const validateAnnotations = (
  errors: ErrorList,
  annotations: StringMap | undefined,
  path: string,
  fieldKey?: string
): void => {
  if (annotations === undefined) return
  let bytes = 0
  for (const key of Object.keys(annotations)) {
    if (key === fieldKey) continue
    errors.invalidEach(path, key, isQualifiedName(key.toLowerCase()))
    bytes += byteLength(key) + byteLength(annotations[key] ?? "")
  }
  if (bytes > maxAnnotationBytes) errors.tooLong(path, maxAnnotationBytes)
}

export const invalidOperator = "not a valid selector operator"

interface Requirement {
  readonly key?: string
  readonly operator?: string
  readonly values?: ReadonlyArray<string>
}

/** Checks that the operator is one of In, NotIn, Exists and DoesNotExist, and has the values that it needs. */
export const validateSetOperator = (errors: ErrorList, { operator, values = [] }: Requirement, path: string): void => {
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) errors.required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")
      break
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) {
        errors.forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
      }
      break
    default:
      errors.invalid(`${path}.operator`, typed(operator ?? ""), invalidOperator)
  }
}

export const validateLabelValues = (errors: ErrorList, values: ReadonlyArray<string>, path: string): void =>
  values.forEach((value, index) => {
    errors.invalidEach(`${path}[${index}]`, value, isValidLabelValue(value))
  })

const validateRequirement = (errors: ErrorList, requirement: LabelSelectorRequirement, path: string): void => {
  validateSetOperator(errors, requirement, path)
  validateLabelName(errors, requirement.key, `${path}.key`)
  validateLabelValues(errors, requirement.values ?? [], `${path}.values`)
}

/** Checks a label selector. Upstream: apimachinery/pkg/apis/meta/v1/validation/validation.go, ValidateLabelSelector. */
export const validateLabelSelector = (errors: ErrorList, selector: LabelSelector | undefined, path: string): void => {
  if (selector === undefined) return
  validateLabels(errors, selector.matchLabels, `${path}.matchLabels`)
  selector.matchExpressions?.forEach((requirement, index) => {
    validateRequirement(errors, requirement, `${path}.matchExpressions[${index}]`)
  })
}

/** Returns a selector as messages show it. */
export const shownSelector = (selector: LabelSelector | undefined): unknown =>
  selector === undefined
    ? null
    : {
        ...(selector.matchLabels === undefined || Object.keys(selector.matchLabels).length === 0
          ? {}
          : { matchLabels: sortedMap(selector.matchLabels) }),
        ...(selector.matchExpressions === undefined || selector.matchExpressions.length === 0
          ? {}
          : {
              matchExpressions: selector.matchExpressions.map(({ key, operator, values }) => ({
                key,
                operator,
                ...(values === undefined || values.length === 0 ? {} : { values })
              }))
            })
      }
