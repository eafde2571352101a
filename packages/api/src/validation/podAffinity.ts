import type { Affinity, PodAffinity, PodAffinityTerm, TopologySpreadConstraint } from "../objects/Affinity.ts"
import type { LabelSelector } from "../objects/Meta.ts"
import type { ErrorList } from "./ErrorList.ts"
import { validateLabelName, validateLabelSelector } from "./labels.ts"
import { nameIsDNSLabel } from "./names.ts"
import { checkWeight, validateNodeAffinity } from "./nodeAffinity.ts"

const checkLabelKeys = (
  errors: ErrorList,
  keys: ReadonlyArray<string> | undefined,
  selector: LabelSelector | undefined,
  path: string
): void => {
  if (keys === undefined || keys.length === 0) return
  if (selector === undefined) errors.forbidden(path, "must not be specified when labelSelector is not set")
  else keys.forEach((key, index) => void validateLabelName(errors, key, `${path}[${index}]`))
}

/** Checks that a key of matchLabelKeys is not in the selector, since it is merged into the selector. */
const checkMatchKeys = (
  errors: ErrorList,
  { matchKeys = [], mismatchKeys = [], selector }: MatchKeys,
  path: string
): void => {
  checkLabelKeys(errors, matchKeys, selector, `${path}.matchLabelKeys`)
  checkLabelKeys(errors, mismatchKeys, selector, `${path}.mismatchLabelKeys`)
  const seen = new Set(Object.keys(selector?.matchLabels ?? {}))
  for (const { key } of selector?.matchExpressions ?? []) {
    const index = matchKeys.lastIndexOf(key)
    if (index >= 0 && seen.has(key)) {
      errors.invalid(`${path}[${index}]`, key, "exists in both matchLabelKeys and labelSelector")
    }
    seen.add(key)
  }
  matchKeys.forEach((key, index) => {
    if (mismatchKeys.includes(key)) {
      errors.invalid(`${path}.matchLabelKeys[${index}]`, key, "exists in both matchLabelKeys and mismatchLabelKeys")
    }
  })
}

interface MatchKeys {
  readonly matchKeys: ReadonlyArray<string> | undefined
  readonly mismatchKeys?: ReadonlyArray<string> | undefined
  readonly selector: LabelSelector | undefined
}

const checkTerm = (errors: ErrorList, term: PodAffinityTerm, path: string): void => {
  const { labelSelector, matchLabelKeys, mismatchLabelKeys, namespaceSelector, namespaces, topologyKey } = term
  validateLabelSelector(errors, labelSelector, `${path}.labelSelector`)
  validateLabelSelector(errors, namespaceSelector, `${path}.namespaceSelector`)
  for (const name of namespaces ?? []) errors.invalidEach(`${path}.namespace`, name, nameIsDNSLabel(name, false))
  checkMatchKeys(errors, { matchKeys: matchLabelKeys, mismatchKeys: mismatchLabelKeys, selector: labelSelector }, path)
  if (!topologyKey) errors.required(`${path}.topologyKey`, "can not be empty")
  validateLabelName(errors, topologyKey, `${path}.topologyKey`)
}

const checkPodAffinity = (errors: ErrorList, affinity: PodAffinity, path: string): void => {
  affinity.requiredDuringSchedulingIgnoredDuringExecution?.forEach((term, index) => {
    checkTerm(errors, term, `${path}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`)
  })
  affinity.preferredDuringSchedulingIgnoredDuringExecution?.forEach(({ podAffinityTerm, weight }, index) => {
    const at = `${path}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`
    checkWeight(errors, weight, at)
    checkTerm(errors, podAffinityTerm ?? { topologyKey: "" }, `${at}.podAffinityTerm`)
  })
}

/** Upstream: pkg/apis/core/validation/validation.go, validateAffinity. */
export const validateAffinity = (errors: ErrorList, affinity: Affinity | undefined, path: string): void => {
  if (affinity === undefined) return
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity
  if (nodeAffinity !== undefined) validateNodeAffinity(errors, nodeAffinity, `${path}.nodeAffinity`)
  if (podAffinity !== undefined) checkPodAffinity(errors, podAffinity, `${path}.podAffinity`)
  if (podAntiAffinity !== undefined) checkPodAffinity(errors, podAntiAffinity, `${path}.podAntiAffinity`)
}

const checkPositive = (errors: ErrorList, value: number, path: string): void => {
  if (value <= 0) errors.invalid(path, value, "must be greater than zero")
}

const checkInclusion = (errors: ErrorList, policy: string | undefined, path: string): void => {
  if (policy !== undefined && policy !== "Honor" && policy !== "Ignore") {
    errors.notSupported(path, policy, ["Honor", "Ignore"])
  }
}

const identityOf = ({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): string =>
  JSON.stringify([topologyKey, whenUnsatisfiable])

/** Upstream: pkg/apis/core/validation/validation.go, validateTopologySpreadConstraints. */
export const validateTopologySpread = (
  errors: ErrorList,
  constraints: ReadonlyArray<TopologySpreadConstraint> | undefined,
  path: string
): void => {
  const last = new Map(constraints?.map((constraint, index) => [identityOf(constraint), index]))
  constraints?.forEach((constraint, index) => {
    const at = `${path}[${index}]`
    const { labelSelector, matchLabelKeys, maxSkew = 0, minDomains, topologyKey, whenUnsatisfiable } = constraint
    checkPositive(errors, maxSkew, `${at}.maxSkew`)
    if (!topologyKey) errors.required(`${at}.topologyKey`, "can not be empty")
    if (whenUnsatisfiable !== "DoNotSchedule" && whenUnsatisfiable !== "ScheduleAnyway") {
      errors.notSupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable ?? "", ["DoNotSchedule", "ScheduleAnyway"])
    }
    if (last.get(identityOf(constraint)) !== index) {
      errors.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`)
    }
    if (minDomains !== undefined) {
      checkPositive(errors, minDomains, `${at}.minDomains`)
      if (whenUnsatisfiable !== "DoNotSchedule") {
        const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`
        errors.invalid(`${at}.minDomains`, minDomains, detail)
      }
    }
    checkInclusion(errors, constraint.nodeAffinityPolicy, `${at}.nodeAffinityPolicy`)
    checkInclusion(errors, constraint.nodeTaintsPolicy, `${at}.nodeTaintsPolicy`)
    checkMatchKeys(errors, { matchKeys: matchLabelKeys, selector: labelSelector }, at)
    validateLabelSelector(errors, labelSelector, `${at}.labelSelector`)
  })
}
