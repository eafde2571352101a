import * as Order from "effect/Order"
import * as Result from "effect/Result"
import { isKindName, kindOf } from "../Kinds.ts"
import type { Kind } from "../kinds/Kind.ts"
import { goQuote } from "../validation/goFormat.ts"
import { SelectorError } from "./Selector.ts"

export interface FieldTerm {
  readonly field: string
  readonly operator: "=" | "!="
  readonly value: string
}

/** A conjunction of terms. */
export interface FieldSelector {
  readonly terms: ReadonlyArray<FieldTerm>
}

const metadataFields = ["metadata.name", "metadata.namespace"]

/** How the fields of a kind are selected; undefined for a kind without fields beside name and namespace. */
const ruleOf = (kind: string): Kind | undefined => {
  const rule = isKindName(kind) ? (kindOf(kind) as Kind) : undefined
  return rule?.fields === undefined ? undefined : rule
}

/** Whether objects of a kind can be selected by a field. */
const isSelectable = ({ fields = {}, resource }: Kind, field: string): boolean =>
  field === "metadata.name" || (field === "metadata.namespace" && resource.namespaced) || Object.hasOwn(fields, field)

const unsupported = (field: string, rule: Kind | undefined, isCustom: boolean): string => {
  if (rule === undefined && !isCustom) {
    return `${goQuote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
  }
  return rule?.fieldFault?.(field) ?? `field label not supported: ${field}`
}

/** Splits at commas that are not escaped by a backslash. */
const splitTerms = (text: string): ReadonlyArray<string> => text.match(/(?:\\.?|[^\\,])+/gs) ?? []

/** Backslashes escape `\`, `,` and `=` and nothing else; `,` and `=` must be escaped. */
const unescapeValue = (text: string): Result.Result<string, string> => {
  if (!/[\\,=]/.test(text)) return Result.succeed(text)
  let value = ""
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === "," || character === "=") {
      return Result.fail(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`)
    }
    if (character !== "\\") {
      value += character
      continue
    }
    at++
    const code = text.codePointAt(at)
    const escaped = code === undefined ? "" : String.fromCodePoint(code)
    if (escaped !== "\\" && escaped !== "," && escaped !== "=") {
      return Result.fail(`invalid field selector: invalid escape sequence: \\${escaped}`)
    }
    value += escaped
  }
  return Result.succeed(value)
}

const escapeValue = (value: string): string => value.replace(/[\\,=]/g, "\\$&")

const parseTerm = (term: string, whole: string): Result.Result<FieldTerm, string> => {
  const split = /^(.*?)(!=|==|=)(.*)$/s.exec(term)
  if (split === null) return Result.fail(`invalid selector: '${whole}'; can't understand '${term}'`)
  const [, field = "", operator, raw = ""] = split
  return Result.map(unescapeValue(raw), (value) => ({ field, operator: operator === "!=" ? "!=" : "=", value }))
}

/**
 * Parses a field selector: `field=value`, `field!=value`, joined by commas. With a kind, only the kind's fields are
 * accepted; `customFields` are those of a custom resource.
 * Upstream: apimachinery/pkg/fields/selector.go and the conversions of pkg/apis.
 */
export const parseFieldSelector = (
  text: string,
  kind?: string,
  customFields?: ReadonlyArray<string>
): Result.Result<FieldSelector, SelectorError> => {
  const fail = (message: string) => Result.fail(new SelectorError({ message }))
  const terms: Array<FieldTerm> = []
  for (const part of splitTerms(text).toSorted(Order.String)) {
    const term = parseTerm(part, text)
    if (Result.isFailure(term)) return fail(term.failure)
    // Go drops a term without field and value, such as `=`.
    if (term.success.field !== "" || term.success.value !== "") terms.push(term.success)
  }
  if (kind === undefined) return Result.succeed({ terms })
  const rule = customFields === undefined ? ruleOf(kind) : undefined
  const converted = terms.map((term) => ({ ...term, field: rule?.renamedFields?.[term.field] ?? term.field }))
  const fields = customFields ?? metadataFields
  const unknown = converted.find(({ field }) =>
    rule === undefined ? !fields.includes(field) : !isSelectable(rule, field)
  )
  return unknown === undefined
    ? Result.succeed({ terms: converted })
    : fail(unsupported(unknown.field, rule, customFields !== undefined))
}

/** Whether an object with these fields is selected; an absent field is the empty string. */
export const matchesFieldSelector = (
  { terms }: FieldSelector,
  fieldOf: (field: string) => string | undefined
): boolean => {
  for (const { field, operator, value } of terms) {
    if (((fieldOf(field) ?? "") === value) !== (operator === "=")) return false
  }
  return true
}

/** Returns the value that the selector requires a field to equal, for a lookup in an index; undefined if there is none. */
export const exactFieldValue = ({ terms }: FieldSelector, field: string): string | undefined =>
  terms.find((term) => term.field === field && term.operator === "=")?.value

/** Formats the selector as text that parses to the same selector. */
export const formatFieldSelector = ({ terms }: FieldSelector): string =>
  terms.map(({ field, operator, value }) => `${field}${operator}${escapeValue(value)}`).join(",")
