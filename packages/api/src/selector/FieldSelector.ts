import * as Order from "effect/Order"
import * as Result from "effect/Result"
import { goQuote } from "../validation/goFormat.ts"
import { SelectorError } from "./Selector.ts"

export interface FieldTerm {
  readonly field: string
  readonly operator: "=" | "!="
  readonly value: string
}

/** All terms must hold. */
export interface FieldSelector {
  readonly terms: ReadonlyArray<FieldTerm>
}

const meta = ["metadata.name", "metadata.namespace"]

/** Fields by kind, where they are not just name and namespace. Upstream: AddFieldLabelConversionFunc calls of pkg/apis. */
const fieldsOfKind: Readonly<Record<string, ReadonlyArray<string>>> = {
  Pod: [
    ...meta,
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName"
  ],
  Node: ["metadata.name", "spec.unschedulable"],
  Namespace: ["metadata.name", "status.phase"],
  Event: [
    ...meta,
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type"
  ],
  Secret: [...meta, "type"],
  Service: [...meta, "spec.clusterIP", "spec.type"],
  ReplicationController: [...meta, "status.replicas"],
  Job: [...meta, "status.successful"]
}

/** Old names that are still understood. */
const renamed: Readonly<Record<string, Readonly<Record<string, string>>>> = { Pod: { "spec.host": "spec.nodeName" } }

/** Fields that a kind's objects can be selected by. */
export const selectableFields = (kind: string): ReadonlyArray<string> => fieldsOfKind[kind] ?? meta

const unsupported = (kind: string, field: string): string => {
  if (fieldsOfKind[kind] === undefined) {
    return `${goQuote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
  }
  return kind === "Job" ? `field label ${goQuote(field)} not supported for Job` : `field label not supported: ${field}`
}

/** At commas that no backslash escapes. */
const splitTerms = (text: string): ReadonlyArray<string> => text.match(/(?:\\.?|[^\\,])+/gs) ?? []

/** Backslashes escape `\`, `,` and `=`; nothing else may be escaped, and the last two may not stand bare. */
const unescapeValue = (text: string): Result.Result<string, string> => {
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
 * A field selector from its text: `field=value`, `field!=value`, joined by commas. With a kind, only that kind's fields pass, or
 * name, namespace and the fields that are given as its own.
 * Upstream: apimachinery/pkg/fields/selector.go and the conversions of pkg/apis.
 */
export const parseFieldSelector = (
  text: string,
  kind?: string,
  own?: ReadonlyArray<string>
): Result.Result<FieldSelector, SelectorError> => {
  const fail = (message: string) => Result.fail(new SelectorError({ message }))
  const terms: Array<FieldTerm> = []
  for (const part of splitTerms(text).toSorted(Order.String)) {
    const term = parseTerm(part, text)
    if (Result.isFailure(term)) return fail(term.failure)
    terms.push(term.success)
  }
  if (kind === undefined) return Result.succeed({ terms })
  const converted = terms.map((term) => ({ ...term, field: renamed[kind]?.[term.field] ?? term.field }))
  const fields = own === undefined ? selectableFields(kind) : [...meta, ...own]
  const unknown = converted.find(({ field }) => !fields.includes(field))
  return unknown === undefined
    ? Result.succeed({ terms: converted })
    : fail(unsupported(own === undefined ? kind : "", unknown.field))
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

/** The one value that the selector demands of a field, if it does: what an index can look up. */
export const exactFieldValue = ({ terms }: FieldSelector, field: string): string | undefined =>
  terms.find((term) => term.field === field && term.operator === "=")?.value

export const formatFieldSelector = ({ terms }: FieldSelector): string =>
  terms.map(({ field, operator, value }) => `${field}${operator}${escapeValue(value)}`).join(",")
