import * as Schema from "effect/Schema"
import { memberOf } from "../memberOf.ts"
import type { LabelSelector } from "../objects/Meta.ts"
import { parseInt64 } from "../parseInt64.ts"

/** A selector text is invalid; the message is upstream's, suitable for a 400. */
export class SelectorError extends Schema.TaggedError<SelectorError>()("SelectorError", {
  message: Schema.String
}) {}

export type SelectorOperator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt"

/** A condition on one label. */
export interface Requirement {
  readonly key: string
  readonly operator: SelectorOperator
  /** Sorted, without duplicates. */
  readonly values: ReadonlyArray<string>
}

/** A conjunction of requirements; an empty list selects everything, undefined selects nothing. */
export interface Selector {
  readonly requirements: ReadonlyArray<Requirement> | undefined
}

export const selectNothing: Selector = { requirements: undefined }

export type Labels = Readonly<Record<string, string>> | undefined

const compareIntegers = (found: string, operator: "gt" | "lt", wanted: string | undefined): boolean => {
  const left = parseInt64(found)
  const right = wanted === undefined ? undefined : parseInt64(wanted)
  if (left === undefined || right === undefined) return false
  return operator === "gt" ? left > right : left < right
}

/** With more values than this, a set is faster than a linear search. */
const maxLinearSearch = 16

const setByValues = new WeakMap<ReadonlyArray<string>, ReadonlySet<string>>()

/**
 * Whether a label's value is among those of a requirement. A long list of values is turned into a set once, not for
 * each object.
 */
const isOneOf = (values: ReadonlyArray<string>, found: string): boolean => {
  if (values.length <= maxLinearSearch) return values.includes(found)
  let set = setByValues.get(values)
  if (set === undefined) {
    set = new Set(values)
    setByValues.set(values, set)
  }
  return set.has(found)
}

const requirementMatches = ({ key, operator, values }: Requirement, labels: Labels): boolean => {
  const found = memberOf(labels, key)
  switch (operator) {
    case "exists":
      return found !== undefined
    case "!":
      return found === undefined
    case "!=":
    case "notin":
      return found === undefined || !isOneOf(values, found)
    case "gt":
    case "lt":
      return found !== undefined && compareIntegers(found, operator, values[0])
    default:
      return found !== undefined && isOneOf(values, found)
  }
}

const byKey = (a: { readonly key: string }, b: { readonly key: string }): number =>
  a.key < b.key ? -1 : a.key > b.key ? 1 : 0

export const makeSelector = (requirements: ReadonlyArray<Requirement>): Selector => ({
  requirements: requirements.toSorted(byKey)
})

const structuredOperators: Readonly<Record<string, SelectorOperator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!"
}

const compile = (selector: LabelSelector): Selector => {
  const requirements: Array<Requirement> = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: "=",
    values: [value]
  }))
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const known = memberOf(structuredOperators, operator)
    if (known === undefined) return selectNothing
    requirements.push({ key, operator: known, values: [...new Set(values)].sort() })
  }
  return makeSelector(requirements)
}

/** Objects are immutable, so a compiled selector is valid as long as its source lives. */
const compiled = new WeakMap<LabelSelector, Selector>()

/**
 * Compiles the structured form. An absent selector selects nothing, an empty one everything; one with an unknown
 * operator (which validation rejects) selects nothing. Upstream: metav1.LabelSelectorAsSelector.
 */
export const selectorOf = (selector: LabelSelector | undefined): Selector => {
  if (selector === undefined) return selectNothing
  const known = compiled.get(selector)
  if (known !== undefined) return known
  const result = compile(selector)
  compiled.set(selector, result)
  return result
}

/** Whether a selector, parsed or in its structured form, selects an object with these labels. */
export const matchesLabelSelector = (selector: Selector | LabelSelector | undefined, labels: Labels): boolean => {
  const { requirements } = selector !== undefined && "requirements" in selector ? selector : selectorOf(selector)
  if (requirements === undefined) return false
  for (const requirement of requirements) {
    if (!requirementMatches(requirement, labels)) return false
  }
  return true
}

const infix: Readonly<Record<SelectorOperator, string>> = {
  "=": "=",
  "==": "==",
  "!=": "!=",
  in: " in ",
  notin: " notin ",
  gt: ">",
  lt: "<",
  exists: "",
  "!": ""
}

const formatRequirement = ({ key, operator, values }: Requirement): string => {
  if (operator === "!") return `!${key}`
  const list = values.join(",")
  return `${key}${infix[operator]}${operator === "in" || operator === "notin" ? `(${list})` : list}`
}

/** Formats the selector as text that parses to the same selector; empty for everything and for nothing. */
export const formatLabelSelector = (selector: Selector | LabelSelector | undefined): string => {
  const { requirements } = selector !== undefined && "requirements" in selector ? selector : selectorOf(selector)
  return (requirements ?? []).map(formatRequirement).join(",")
}
