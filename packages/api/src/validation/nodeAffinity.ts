import type {
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PreferredSchedulingTerm
} from "../objects/Affinity.ts"
import type { ErrorList } from "./ErrorList.ts"
import { typed } from "./FieldError.ts"
import { invalidOperator, validateLabelName, validateLabelValues, validateSetOperator } from "./labels.ts"
import { nameIsDNSSubdomain } from "./names.ts"
import { semanticEqual } from "./semanticEqual.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidateNodeSelectorTerm and validateNodeAffinityMutation. */

const checkExpression = (
  errors: ErrorList,
  requirement: NodeSelectorRequirement,
  path: string,
  checkValues: boolean
): void => {
  const { key, operator, values = [] } = requirement
  if (operator !== "Gt" && operator !== "Lt") validateSetOperator(errors, requirement, path)
  else if (values.length !== 1) {
    errors.required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")
  }
  validateLabelName(errors, key, `${path}.key`)
  if (checkValues) validateLabelValues(errors, values, `${path}.values`)
}

/** Checks a field requirement: the only field of nodes is their name, with one value. */
const checkField = (errors: ErrorList, requirement: NodeSelectorRequirement, path: string): void => {
  const { key = "", operator = "", values = [] } = requirement
  if (operator !== "In" && operator !== "NotIn") errors.invalid(`${path}.operator`, typed(operator), invalidOperator)
  else if (values.length !== 1) {
    errors.required(
      `${path}.values`,
      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
    )
  }
  if (key !== "metadata.name") {
    errors.invalid(`${path}.key`, key, "not a valid field selector key")
    return
  }
  values.forEach((value, index) => {
    errors.invalidEach(`${path}.values[${index}]`, value, nameIsDNSSubdomain(value, false))
  })
}

const checkTerm = (errors: ErrorList, term: NodeSelectorTerm, path: string, checkValues: boolean): void => {
  term.matchExpressions?.forEach((requirement, index) => {
    checkExpression(errors, requirement, `${path}.matchExpressions[${index}]`, checkValues)
  })
  term.matchFields?.forEach((requirement, index) => {
    checkField(errors, requirement, `${path}.matchFields[${index}]`)
  })
}

/** Upstream: ValidateNodeSelector. */
export const validateNodeSelector = (errors: ErrorList, selector: NodeSelector, path: string): void => {
  const terms = selector.nodeSelectorTerms ?? []
  if (terms.length === 0) errors.required(`${path}.nodeSelectorTerms`, "must have at least one node selector term")
  terms.forEach((term, index) => {
    checkTerm(errors, term, `${path}.nodeSelectorTerms[${index}]`, true)
  })
}

export const checkWeight = (errors: ErrorList, weight: number | undefined, path: string): void => {
  const value = weight ?? 0
  if (value <= 0 || value > 100) errors.invalid(`${path}.weight`, value, "must be in the range 1-100")
}

const checkPreferred = (errors: ErrorList, terms: ReadonlyArray<PreferredSchedulingTerm>, path: string): void => {
  terms.forEach(({ preference, weight }, index) => {
    checkWeight(errors, weight, `${path}[${index}]`)
    // A label value that no node can have is harmless in a preference.
    checkTerm(errors, preference ?? {}, `${path}[${index}].preference`, false)
  })
}

export const validateNodeAffinity = (errors: ErrorList, affinity: NodeAffinity, path: string): void => {
  const required = affinity.requiredDuringSchedulingIgnoredDuringExecution
  const preferred = affinity.preferredDuringSchedulingIgnoredDuringExecution
  if (required !== undefined)
    validateNodeSelector(errors, required, `${path}.requiredDuringSchedulingIgnoredDuringExecution`)
  if (preferred !== undefined) {
    checkPreferred(errors, preferred, `${path}.preferredDuringSchedulingIgnoredDuringExecution`)
  }
}

const shownRequirements = (requirements: ReadonlyArray<NodeSelectorRequirement> | undefined): unknown =>
  requirements?.map(({ key, operator, values }) => ({ Key: key, Operator: operator, Values: values ?? null })) ?? null

export const shownTerm = (term: NodeSelectorTerm): unknown => ({
  MatchExpressions: shownRequirements(term.matchExpressions),
  MatchFields: shownRequirements(term.matchFields)
})

const startsWith = (
  requirements: ReadonlyArray<NodeSelectorRequirement> | undefined,
  old: ReadonlyArray<NodeSelectorRequirement> | undefined
): boolean => old === undefined || old.length === 0 || semanticEqual((requirements ?? []).slice(0, old.length), old)

const isEmpty = ({ matchExpressions, matchFields }: NodeSelectorTerm): boolean =>
  !matchExpressions?.length && !matchFields?.length

/** Checks that the required node affinity of a gated pod is narrowed, not widened. */
export const validateNodeAffinityNarrowing = (
  errors: ErrorList,
  affinity: NodeAffinity | undefined,
  old: NodeAffinity | undefined,
  path: string
): void => {
  const at = `${path}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`
  const oldTerms = old?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const terms = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  if (oldTerms.length === 0) return
  if (oldTerms.length !== terms.length) {
    const shown = terms.length === 0 ? null : terms.map(shownTerm)
    errors.invalid(at, shown, "no additions/deletions to non-empty NodeSelectorTerms list are allowed")
    return
  }
  terms.forEach((term, index) => {
    const stored = oldTerms[index] ?? {}
    const narrows =
      !(isEmpty(stored) && !isEmpty(term)) &&
      startsWith(term.matchExpressions, stored.matchExpressions) &&
      startsWith(term.matchFields, stored.matchFields)
    if (!narrows) {
      errors.invalid(`${at}[${index}]`, shownTerm(term), "only additions are allowed (no mutations or deletions)")
    }
  })
}

/** Checks the nodes that can reach a volume. Upstream: validateVolumeNodeAffinity. */
export const validateVolumeNodeAffinity = (
  errors: ErrorList,
  { required }: { readonly required?: NodeSelector },
  path: string
): void => {
  if (required === undefined) errors.required(`${path}.required`, "must specify required node constraints")
  else validateNodeSelector(errors, required, `${path}.required`)
}
