import type { KubeObject } from "@rollcall/api"
import {
  ErrorList,
  type FieldErrors,
  isQualifiedName,
  isValidLabelValue,
  validateSetOperator
} from "@rollcall/api/validation"
import type { UserInfo } from "../../core/admission/Admission.ts"
import type { Authorizer, RequestAttributes } from "../../core/ports/Security.ts"
import { type Fields, fault, fieldsOf, textOf, textsOf } from "./review.ts"
import { readFields, readLabels, type SelectorText } from "./selectors.ts"

/** Returns the request attributes of a SubjectAccessReview. Upstream: pkg/registry/authorization/util/helpers.go. */
const attributesOf = (user: UserInfo, spec: Fields): RequestAttributes => {
  const nonResource = fieldsOf(spec.nonResourceAttributes)
  const resource = fieldsOf(spec.resourceAttributes) ?? {}
  const isResource = nonResource === undefined
  const field = readFields(resource.fieldSelector).text
  const label = readLabels(resource.labelSelector).text
  return {
    user,
    verb: textOf((nonResource ?? resource).verb),
    isResource,
    path: textOf(nonResource?.path),
    group: textOf(resource.group),
    version: textOf(resource.version) || "*",
    resource: textOf(resource.resource),
    subresource: textOf(resource.subresource),
    namespace: textOf(resource.namespace),
    name: textOf(resource.name),
    ...(field === "" ? {} : { fieldSelector: field }),
    ...(label === "" ? {} : { labelSelector: label })
  }
}

/**
 * Asks the authorizer, and returns the status of an access review. Requirements of selectors that mean nothing widen
 * what is asked, which the status tells.
 */
export const decide = (authorizer: Authorizer, user: UserInfo, spec: Fields): object => {
  const { decision, evaluationError, reason } = authorizer.authorize(attributesOf(user, spec))
  const { fieldSelector, labelSelector } = fieldsOf(spec.resourceAttributes) ?? {}
  const errors = [
    evaluationError,
    selectorFault("fieldSelector", readFields(fieldSelector)),
    selectorFault("labelSelector", readLabels(labelSelector))
  ].filter((error) => error !== undefined)
  return {
    allowed: decision === "Allow",
    ...(decision === "Deny" ? { denied: true } : {}),
    ...(reason === "" ? {} : { reason }),
    ...(errors.length === 0 ? {} : { evaluationError: errors.join("; ") })
  }
}

const selectorFault = (name: string, { isWhole, text }: SelectorText): string | undefined =>
  isWhole ? undefined : `spec.resourceAttributes.${name} ${text === "" ? "" : "partially "}ignored due to parse error`

/** Returns the attributes of a path as errors show them. */
export const shownPath = (nonResource: unknown): unknown => {
  const { path, verb } = fieldsOf(nonResource) ?? {}
  return { Path: textOf(path), Verb: textOf(verb) }
}

/**
 * Validates the spec of an access review; one that must name a subject has an error of its own in between. Upstream:
 * pkg/apis/authorization/validation/validation.go.
 */
export const accessErrors = (spec: Fields, between: FieldErrors = []): FieldErrors => [
  ...exclusionErrors(spec),
  ...between,
  ...resourceErrors(fieldsOf(spec.resourceAttributes))
]

const exclusionErrors = (spec: Fields): FieldErrors => {
  const nonResource = fieldsOf(spec.nonResourceAttributes)
  const resource = fieldsOf(spec.resourceAttributes)
  if (resource !== undefined && nonResource !== undefined) {
    const detail = "cannot be specified in combination with resourceAttributes"
    return [fault("spec.nonResourceAttributes", shownPath(nonResource), detail)]
  }
  if (resource !== undefined || nonResource !== undefined) return []
  const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
  return [fault("spec.resourceAttributes", undefined, detail)]
}

const resourceErrors = (resource: Fields | undefined): FieldErrors =>
  resource === undefined
    ? []
    : (["fieldSelector", "labelSelector"] as const).flatMap((name) =>
        selectorErrors(`spec.resourceAttributes.${name}`, resource[name], name === "labelSelector")
      )

const selectorErrors = (field: string, selector: unknown, ofLabels: boolean): FieldErrors => {
  const fields = fieldsOf(selector)
  if (fields === undefined) return []
  const errors = new ErrorList()
  const raw = textOf(fields.rawSelector)
  const requirements = Array.isArray(fields.requirements) ? fields.requirements : []
  if (raw !== "" && requirements.length > 0) {
    errors.invalid(`${field}.rawSelector`, raw, "may not specified at the same time as requirements")
  }
  if (raw === "" && requirements.length === 0) {
    errors.required(`${field}.requirements`, `when ${field} is specified, requirements or rawSelector is required`)
  }
  requirements.forEach((given, index) => {
    checkRequirement(errors, fieldsOf(given) ?? {}, `${field}.requirements[${index}]`, ofLabels)
  })
  return errors.all
}

/** Newer clients may send operators that this server does not know. */
const operators: ReadonlySet<string> = new Set(["In", "NotIn", "Exists", "DoesNotExist"])

const checkRequirement = (errors: ErrorList, given: Fields, path: string, ofLabels: boolean): void => {
  const key = textOf(given.key)
  const operator = textOf(given.operator)
  const values = textsOf(given.values)
  if (!ofLabels && key === "") errors.required(`${path}.key`, "must be specified")
  if (operators.has(operator)) validateSetOperator(errors, { operator, values }, path)
  if (!ofLabels) return
  errors.invalidEach(`${path}.key`, key, isQualifiedName(key))
  values.forEach((value, index) => {
    errors.invalidEach(`${path}.values[${index}]`, value, isValidLabelValue(value))
  })
}

/** Checks that a review has no metadata but, where it is allowed, its namespace. */
export const metadataErrors = ({ metadata }: KubeObject, namespaced: boolean): FieldErrors => {
  const { managedFields: _, namespace, ...rest } = metadata
  const isEmpty = Object.keys(rest).length === 0 && (namespaced || !namespace)
  return isEmpty ? [] : [fault("metadata", metadata, `must be empty${namespaced ? " except for namespace" : ""}`)]
}

/** Validates the spec of an access review that must name a subject. */
export const subjectErrors = (spec: Fields): FieldErrors => {
  const namesNoSubject = textOf(spec.user) === "" && textsOf(spec.groups).length === 0
  const detail = "at least one of user or group must be specified"
  return accessErrors(spec, namesNoSubject ? [fault("spec.user", textOf(spec.user), detail)] : [])
}

/** Returns the subject of a review as a user. */
export const subjectOf = (spec: Fields): UserInfo => {
  const extra = fieldsOf(spec.extra)
  const uid = textOf(spec.uid)
  return {
    user: textOf(spec.user),
    groups: textsOf(spec.groups),
    ...(uid === "" ? {} : { uid }),
    ...(extra === undefined
      ? {}
      : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, textsOf(values)])) })
  }
}
