import { parseFieldSelector, parseLabelSelector } from "@rollcall/api"
import * as Result from "effect/Result"
import { fieldsOf, textOf, textsOf } from "./review.ts"

/* The selectors of access reviews. Upstream: pkg/registry/authorization/util/helpers.go. */

/** A selector as text, and whether that is all of it: requirements that mean nothing are left out. */
export interface SelectorText {
  readonly text: string
  readonly isWhole: boolean
}

const none: SelectorText = { text: "", isWhole: true }

/** Returns the text of a requirement; undefined if it means nothing. */
type ReadRequirement = (key: string, operator: string, values: ReadonlyArray<string>) => string | undefined

const readSelector = (selector: unknown, isSound: (text: string) => boolean, read: ReadRequirement): SelectorText => {
  const fields = fieldsOf(selector)
  if (fields === undefined) return none
  const raw = textOf(fields.rawSelector)
  if (raw !== "") return isSound(raw) ? { text: raw, isWhole: true } : { text: "", isWhole: false }
  const requirements = Array.isArray(fields.requirements) ? fields.requirements : []
  const texts = requirements.map((given) => {
    const { key, operator, values } = fieldsOf(given) ?? {}
    return read(textOf(key), textOf(operator), textsOf(values))
  })
  const known = texts.filter((text) => text !== undefined)
  return { text: known.join(","), isWhole: known.length === texts.length }
}

const labelRequirement: ReadRequirement = (key, operator, values) => {
  switch (operator) {
    case "In":
      return `${key} in (${values.join(",")})`
    case "NotIn":
      return `${key} notin (${values.join(",")})`
    case "Exists":
      return key
    case "DoesNotExist":
      return `!${key}`
    default:
      return undefined
  }
}

/** Fields are only compared with one value. */
const fieldRequirement: ReadRequirement = (key, operator, [value, ...more]) => {
  if (value === undefined || more.length > 0) return undefined
  return operator === "In" ? `${key}=${value}` : operator === "NotIn" ? `${key}!=${value}` : undefined
}

export const readLabels = (selector: unknown): SelectorText =>
  readSelector(selector, (text) => Result.isSuccess(parseLabelSelector(text)), labelRequirement)

export const readFields = (selector: unknown): SelectorText =>
  readSelector(selector, (text) => Result.isSuccess(parseFieldSelector(text)), fieldRequirement)
