import type { ErrorList } from "../ErrorList.ts"
import { findField } from "./fieldPath.ts"
import { isJsonObject, type JsonObject } from "./JsonObject.ts"

const knownReasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"]

const hasBreaks = (text: string): boolean => /[\n\r]/.test(text)

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** Checks the form of a schema's rules; whether they compile is checked by those who run them. */
export const checkRuleForms = (errors: ErrorList, schema: JsonObject, at: string): void => {
  const rules = schema["x-kubernetes-validations"]
  if (!Array.isArray(rules)) return
  rules.forEach((rule, index) => {
    if (isJsonObject(rule)) checkRuleForm(errors, rule, schema, `${at}.x-kubernetes-validations[${index}]`)
  })
}

const checkRuleForm = (errors: ErrorList, given: JsonObject, schema: JsonObject, at: string): void => {
  const [rule, message, messageExpression] = [given.rule, given.message, given.messageExpression].map(textOf) as [
    string,
    string,
    string
  ]
  if (rule.trim() === "") errors.required(`${at}.rule`, "rule is not specified")
  else if (message !== "" && message.trim() === "") {
    errors.invalid(`${at}.message`, message, "must be non-empty if specified")
  } else if (hasBreaks(message.trim())) errors.invalid(`${at}.message`, message, "must not contain line breaks")
  else if (hasBreaks(rule.trim()) && message.trim() === "") {
    errors.required(`${at}.message`, "message must be specified if rule contains line breaks")
  }
  if (messageExpression !== "" && messageExpression.trim() === "") {
    errors.required(`${at}.messageExpression`, "messageExpression must be non-empty if specified")
  }
  const { reason } = given
  if (reason !== undefined && reason !== null && !knownReasons.includes(textOf(reason))) {
    errors.notSupported(`${at}.reason`, reason, knownReasons)
  }
  checkFieldPath(errors, textOf(given.fieldPath), schema, `${at}.fieldPath`)
}

const checkFieldPath = (errors: ErrorList, path: string, schema: JsonObject, at: string): void => {
  if (path === "") return
  if (path.trim() === "") errors.invalid(at, path, "must be non-empty if specified")
  if (hasBreaks(path)) errors.invalid(at, path, "must not contain line breaks")
  if (typeof findField(path, schema, true) === "string") errors.invalid(at, path, "must be a valid path")
}
