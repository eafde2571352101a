import type {
  AuditAnnotation,
  MatchCondition,
  Mutation,
  Validation,
  Variable
} from "../../objects/AdmissionRegistration.ts"
import type { ErrorList } from "../ErrorList.ts"
import { validateLabelName } from "../labels.ts"
import { byteLength } from "../names.ts"
import type { ExpressionFault, Expressions, ExpressionUse } from "./Expressions.ts"

/*
 * The expressions of policies and webhooks. Upstream: pkg/apis/admissionregistration/validation/validation.go.
 */

/** Adds what is wrong with an expression; `shown` is the text that the error has as its value. */
const report = (errors: ErrorList, fault: ExpressionFault | undefined, shown: string, at: string): void => {
  if (fault !== undefined) errors.add(fault.type, at, fault.type === "FieldValueRequired" ? "" : shown, fault.detail)
}

const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === ""

const maxMatchConditions = 64

export const checkMatchConditions = (
  errors: ErrorList,
  conditions: ReadonlyArray<MatchCondition>,
  { check }: Expressions,
  { at, params }: { readonly at: string; readonly params: boolean }
): void => {
  const names = new Set<string>()
  if (conditions.length > maxMatchConditions) errors.tooMany(at, conditions.length, maxMatchConditions)
  conditions.forEach(({ expression = "", name = "" }, index) => {
    const place = `${at}[${index}]`
    const text = expression.trim()
    if (text === "") errors.required(`${place}.expression`)
    else report(errors, check(text, { returns: "bool", params, authorizer: true }), text, `${place}.expression`)
    if (name === "") errors.required(`${place}.name`)
    else validateLabelName(errors, name, `${place}.name`)
    if (name !== "" && names.has(name)) errors.duplicate(`${place}.name`, name)
    names.add(name)
  })
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/
const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " "
  )
)

export const checkVariable = (
  errors: ErrorList,
  { expression = "", name = "" }: Variable,
  { variable }: Expressions,
  use: ExpressionUse,
  at: string
): void => {
  if (isBlank(name)) errors.required(`${at}.name`, "name is not specified")
  else if (!identifier.test(name) || reserved.has(name))
    errors.invalid(`${at}.name`, name, "must be a valid CEL identifier")
  if (isBlank(expression)) errors.required(`${at}.expression`, "expression is not specified")
  else report(errors, variable(name, expression, use), expression, `${at}.expression`)
}

const validationReasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"]

const hasNewlines = (text: string): boolean => /[\n\r]/.test(text)

export const checkValidation = (
  errors: ErrorList,
  { expression = "", message = "", messageExpression = "", reason }: Validation,
  { checkComposed }: Expressions,
  params: boolean,
  at: string
): void => {
  if (isBlank(expression)) errors.required(`${at}.expression`, "expression is not specified")
  else {
    const fault = checkComposed(expression, { returns: "bool", params, authorizer: true })
    report(errors, fault, expression, `${at}.expression`)
  }
  if (messageExpression !== "" && isBlank(messageExpression))
    errors.invalid(`${at}.messageExpression`, messageExpression, "must be non-empty if specified")
  else if (messageExpression !== "") {
    const fault = checkComposed(messageExpression, { returns: "string", params, authorizer: false })
    report(errors, fault, messageExpression, `${at}.messageExpression`)
  }
  if (message !== "" && isBlank(message)) errors.invalid(`${at}.message`, message, "must be non-empty if specified")
  else if (hasNewlines(message.trim())) errors.invalid(`${at}.message`, message, "must not contain line breaks")
  if (reason !== undefined && !validationReasons.includes(reason))
    errors.notSupported(`${at}.reason`, reason, validationReasons)
}

const maxValueExpressionBytes = 5 * 1024

export const checkAuditAnnotation = (
  errors: ErrorList,
  policyName: string,
  { key = "", valueExpression = "" }: AuditAnnotation,
  { checkComposed }: Expressions,
  { at, params }: { readonly at: string; readonly params: boolean }
): void => {
  if (policyName === "") errors.invalid(`${at}.key`, key, "requires metadata.name be non-empty")
  else validateLabelName(errors, `${policyName}/${key}`, `${at}.key`)
  const text = valueExpression.trim()
  if (text === "") errors.required(`${at}.valueExpression`, "valueExpression is not specified")
  else if (byteLength(text) > maxValueExpressionBytes)
    errors.required(`${at}.valueExpression`, `must not exceed ${maxValueExpressionBytes} bytes in length`)
  else {
    const fault = checkComposed(text, { returns: "stringOrNull", params, authorizer: true })
    report(errors, fault, valueExpression, `${at}.valueExpression`)
  }
}

const patchTypes = ["ApplyConfiguration", "JSONPatch"]

export const checkMutation = (
  errors: ErrorList,
  mutation: Mutation,
  compiled: Expressions,
  params: boolean,
  at: string
): void => {
  const { patchType = "" } = mutation
  if (patchType === "") errors.required(`${at}.patchType`)
  else if (patchType === "JSONPatch") checkPatch(errors, mutation, compiled, params, at, "jsonPatch")
  else if (patchType === "ApplyConfiguration") checkPatch(errors, mutation, compiled, params, at, "applyConfiguration")
  else errors.notSupported(`${at}.patchType`, patchType, patchTypes)
}

/** Checks the patch of a mutation, which has its expression in the field `own` and none in the other. */
const checkPatch = (
  errors: ErrorList,
  mutation: Mutation,
  { checkComposed }: Expressions,
  params: boolean,
  at: string,
  own: "applyConfiguration" | "jsonPatch"
): void => {
  const { patchType } = mutation
  const given = mutation[own]
  if (given === undefined) errors.required(`${at}.${own}`, `must be specified when patchType is ${patchType}`)
  else {
    const text = (given.expression ?? "").trim()
    const returns = own === "jsonPatch" ? "patch" : "object"
    if (text === "") errors.required(`${at}.${own}.expression`)
    else {
      const fault = checkComposed(text, { returns, params, authorizer: true, patches: true })
      report(errors, fault, text, `${at}.${own}.expression`)
    }
  }
  const other = own === "jsonPatch" ? "applyConfiguration" : "jsonPatch"
  if (mutation[other] !== undefined)
    errors.invalid(`${at}.${other}`, `{${other}}`, `must not be specified when patchType is ${patchType}`)
}
