import type { JobSpec } from "../objects/Job.ts"
import { isUnsetList } from "../wire/decode/goTypes.ts"
import type { ErrorList } from "./ErrorList.ts"
import { omittedValue, typed } from "./FieldError.ts"
import { internalJson } from "./goDiff.ts"
import { goQuote } from "./goFormat.ts"
import { isQualifiedName } from "./names.ts"

/** Upstream: pkg/apis/batch/validation/validation.go, validatePodFailurePolicy and validateSuccessPolicy. */

interface ExitCodes {
  readonly containerName?: string
  readonly operator?: string
  readonly values?: ReadonlyArray<number>
}

interface FailureRule {
  readonly action?: string
  readonly onExitCodes?: ExitCodes
  readonly onPodConditions?: ReadonlyArray<{ readonly type?: string; readonly status?: string }>
}

const MAX_RULES = 20
const MAX_EXIT_CODES = 255
const actions = ["Count", "FailIndex", "FailJob", "Ignore"]
const operators = ["In", "NotIn"]
const statuses = ["False", "True", "Unknown"]

const oneOf = (errors: ErrorList, value: string, known: ReadonlyArray<string>, path: string): void => {
  if (value === "") errors.required(path, `valid values: [${known.map(goQuote).join(" ")}]`)
  else if (!known.includes(value)) errors.notSupported(path, value, known)
}

const checkExitCodes = (errors: ErrorList, codes: ExitCodes, containers: ReadonlySet<string>, path: string): void => {
  const { containerName, operator = "", values = [] } = codes
  oneOf(errors, operator, operators, `${path}.operator`)
  if (containerName !== undefined && !containers.has(containerName)) {
    const detail = "must be one of the container or initContainer names in the pod template"
    errors.invalid(`${path}.containerName`, containerName, detail)
  }
  if (values.length === 0) {
    const shown = codes.values === undefined || isUnsetList(codes.values) ? null : codes.values
    errors.invalid(`${path}.values`, shown, "at least one value is required")
  } else if (values.length > MAX_EXIT_CODES) errors.tooMany(`${path}.values`, values.length, MAX_EXIT_CODES)
  const seen = new Set<number>()
  values.forEach((code, index) => {
    const at = `${path}.values[${index}]`
    if (operator === "In" && code === 0) errors.invalid(at, code, "must not be 0 for the In operator")
    if (seen.has(code)) errors.duplicate(at, code)
    seen.add(code)
  })
  const isOrdered = values.every((code, index) => index === 0 || (values[index - 1] ?? 0) <= code)
  if (!isOrdered) errors.invalid(`${path}.values`, values, "must be ordered")
}

const checkFailureRule = (
  errors: ErrorList,
  rule: FailureRule,
  spec: JobSpec,
  containers: ReadonlySet<string>,
  path: string
): void => {
  const { action = "", onExitCodes, onPodConditions: conditions = [] } = rule
  if (action !== "FailIndex") oneOf(errors, action, actions, `${path}.action`)
  else if (spec.backoffLimitPerIndex === undefined) {
    errors.invalid(`${path}.action`, typed(action), "requires the backoffLimitPerIndex to be set")
  }
  if (onExitCodes !== undefined) checkExitCodes(errors, onExitCodes, containers, `${path}.onExitCodes`)
  if (conditions.length > MAX_RULES) errors.tooMany(`${path}.onPodConditions`, conditions.length, MAX_RULES)
  conditions.forEach(({ status = "", type = "" }, index) => {
    const at = `${path}.onPodConditions[${index}]`
    errors.invalidEach(`${at}.type`, type, isQualifiedName(type))
    oneOf(errors, status, statuses, `${at}.status`)
  })
  const both = onExitCodes !== undefined && conditions.length > 0
  if (both) errors.invalid(path, omittedValue, "specifying both OnExitCodes and OnPodConditions is not supported")
  if (onExitCodes === undefined && conditions.length === 0) {
    errors.invalid(path, omittedValue, "specifying one of OnExitCodes and OnPodConditions is required")
  }
}

/** Checks which failures of pods fail the job. */
export const validateFailurePolicy = (errors: ErrorList, spec: JobSpec, path: string): void => {
  const policy = spec.podFailurePolicy as { readonly rules?: ReadonlyArray<FailureRule> } | undefined
  if (policy === undefined) return
  const { rules = [] } = policy
  const { containers = [], initContainers = [] } = spec.template?.spec ?? {}
  const names = new Set([...containers, ...initContainers].map(({ name }) => name))
  if (rules.length > MAX_RULES) errors.tooMany(`${path}.rules`, rules.length, MAX_RULES)
  rules.forEach((rule, index) => void checkFailureRule(errors, rule, spec, names, `${path}.rules[${index}]`))
}

interface SuccessRule {
  readonly succeededCount?: number
  readonly succeededIndexes?: string
}

const MAX_INDEXES_BYTES = 64 * 1024

/** Returns the bounds of `3` or `3-5`, or what is wrong with them. */
const intervalOf = (text: string, completions: number): readonly [from: number, to: number] | string => {
  const limits = text.split("-")
  if (limits.length > 2)
    return `the fragment ${goQuote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`
  const parsed: Array<number> = []
  for (const limit of limits) {
    if (!/^[+-]?\d+$/.test(limit)) return `cannot convert string to integer for index: ${goQuote(limit)}`
    if (Number(limit) >= completions) return `too large index: ${goQuote(limit)}`
    parsed.push(Number(limit))
  }
  const [from = 0, to = from] = parsed
  return limits.length === 2 && from >= to ? `non-increasing order, previous: ${from}, current: ${to}` : [from, to]
}

/** Returns the number of indexes of `1,3-5`, or what is wrong with the text. */
export const countIndexes = (text: string, completions: number): number | string => {
  let last: number | undefined
  let total = 0
  for (const part of text === "" ? [] : text.split(",")) {
    const interval = intervalOf(part, completions)
    if (typeof interval === "string") return interval
    const [from, to] = interval
    if (last !== undefined && last >= from) return `non-increasing order, previous: ${last}, current: ${from}`
    total += to - from + 1
    last = to
  }
  return total
}

/**
 * Returns the first index that both texts have; intervals that cannot be read count for nothing. Upstream:
 * pkg/apis/batch/validation/validation.go, validateFailedIndexesNotOverlapCompleted.
 */
export const firstSharedIndex = (completed: string, failed: string, completions: number): number | undefined => {
  const intervals = (text: string) =>
    text.split(",").flatMap((part) => {
      const interval = intervalOf(part, completions)
      return typeof interval === "string" ? [] : [interval]
    })
  const [ofCompleted, ofFailed] = [intervals(completed), intervals(failed)]
  for (let [one, other] = [0, 0]; ; ) {
    const [left, right] = [ofCompleted[one], ofFailed[other]]
    if (left === undefined || right === undefined) return undefined
    if (left[0] <= right[1] && right[0] <= left[1]) return Math.max(left[0], right[0])
    if (left[0] <= right[0]) one += 1
    else other += 1
  }
}

const checkSuccessRule = (errors: ErrorList, rule: SuccessRule, completions: number, path: string): void => {
  const { succeededCount: count, succeededIndexes: indexes } = rule
  if (count === undefined && indexes === undefined) {
    errors.required(path, "at least one of succeededCount or succeededIndexes must be specified")
  }
  let total = 0
  if (indexes !== undefined) {
    const at = `${path}.succeededIndexes`
    if (indexes.length > MAX_INDEXES_BYTES) errors.tooLong(at, MAX_INDEXES_BYTES)
    const counted = countIndexes(indexes, completions)
    if (typeof counted === "string") errors.invalid(at, indexes, `error parsing succeededIndexes: ${counted}`)
    else total = counted
  }
  if (count === undefined) return
  const at = `${path}.succeededCount`
  errors.nonNegative(at, count)
  const checkMost = (most: number, what: string) => {
    if (count > most) errors.invalid(at, count, `must be less than or equal to ${most} (the number of ${what})`)
  }
  checkMost(completions, "specified completions")
  if (indexes !== undefined) checkMost(total, "indexes in the specified succeededIndexes field")
}

/** Checks which successes of pods complete the job early. */
export const validateSuccessPolicy = (errors: ErrorList, spec: JobSpec, path: string): void => {
  const policy = spec.successPolicy as { readonly rules?: ReadonlyArray<SuccessRule> } | undefined
  if (policy === undefined) return
  const { rules = [] } = policy
  if (spec.completionMode !== "Indexed") {
    errors.invalid(path, internalJson("batch.v1.SuccessPolicy", policy), "requires indexed completion mode")
    return
  }
  if (rules.length === 0) {
    errors.required(`${path}.rules`, "at least one rules must be specified when the successPolicy is specified")
  }
  if (rules.length > MAX_RULES) errors.tooMany(`${path}.rules`, rules.length, MAX_RULES)
  const completions = spec.completions ?? 0
  rules.forEach((rule, index) => void checkSuccessRule(errors, rule, completions, `${path}.rules[${index}]`))
}
