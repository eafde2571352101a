import type {
  MatchResources,
  NamedRuleWithOperations,
  RuleWithOperations
} from "../../objects/AdmissionRegistration.ts"
import type { LabelSelector } from "../../objects/Meta.ts"
import type { ErrorList } from "../ErrorList.ts"
import { validateLabelSelector } from "../labels.ts"
import { nameIsPathSegment } from "../names.ts"

/*
 * Which requests a policy or webhook handles. Upstream: pkg/apis/admissionregistration/validation/validation.go.
 */

export const failurePolicies = ["Fail", "Ignore"]
export const matchPolicies = ["Equivalent", "Exact"]
export const reinvocationPolicies = ["IfNeeded", "Never"]
const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"]
const mutatingOperations = ["*", "CONNECT", "CREATE", "UPDATE"]
const scopes = ["*", "Cluster", "Namespaced"]

const hasWildcard = (values: ReadonlyArray<string>): boolean => values.includes("*")

const checkResources = (errors: ErrorList, resources: ReadonlyArray<string>, at: string): void => {
  if (resources.length === 0) errors.required(at)
  const wildcardSubresources = new Set<string>()
  const wildcardResources = new Set<string>()
  // As upstream, the last resource without a subresource decides.
  let hasPlain = false
  for (const [index, each] of resources.entries()) {
    if (each === "") {
      errors.required(`${at}[${index}]`)
      continue
    }
    const slash = each.indexOf("/")
    if (slash < 0) {
      hasPlain = each !== "*"
      continue
    }
    const [resource, subresource] = [each.slice(0, slash), each.slice(slash + 1)]
    if (wildcardSubresources.has(resource))
      errors.invalid(`${at}[${index}]`, each, `if '${resource}/*' is present, must not specify ${each}`)
    if (wildcardResources.has(subresource))
      errors.invalid(`${at}[${index}]`, each, `if '*/${subresource}' is present, must not specify ${each}`)
    if (subresource === "*") wildcardSubresources.add(resource)
    if (resource === "*") wildcardResources.add(subresource)
  }
  if (resources.length > 1 && resources.includes("*/*"))
    errors.invalid(at, resources, "if '*/*' is present, must not specify other resources")
  if (hasWildcard(resources) && hasPlain)
    errors.invalid(at, resources, "if '*' is present, must not specify other resources without subresources")
}

export const checkRule = (errors: ErrorList, rule: RuleWithOperations, at: string): void => {
  const { apiGroups = [], apiVersions = [], operations: given = [], resources = [], scope } = rule
  if (given.length === 0) errors.required(`${at}.operations`)
  if (given.length > 1 && hasWildcard(given))
    errors.invalid(`${at}.operations`, given, "if '*' is present, must not specify other operations")
  given.forEach((operation, index) => {
    if (!operations.includes(operation)) errors.notSupported(`${at}.operations[${index}]`, operation, operations)
  })
  if (apiGroups.length === 0) errors.required(`${at}.apiGroups`)
  if (apiGroups.length > 1 && hasWildcard(apiGroups))
    errors.invalid(`${at}.apiGroups`, apiGroups, "if '*' is present, must not specify other API groups")
  if (apiVersions.length === 0) errors.required(`${at}.apiVersions`)
  if (apiVersions.length > 1 && hasWildcard(apiVersions))
    errors.invalid(`${at}.apiVersions`, apiVersions, "if '*' is present, must not specify other API versions")
  apiVersions.forEach((version, index) => {
    if (version === "") errors.required(`${at}.apiVersions[${index}]`)
  })
  checkResources(errors, resources, `${at}.resources`)
  if (scope !== undefined && !scopes.includes(scope)) errors.notSupported(`${at}.scope`, scope, scopes)
}

const checkNamedRule = (errors: ErrorList, rule: NamedRuleWithOperations, at: string): void => {
  const seen = new Set<string>()
  rule.resourceNames?.forEach((name, index) => {
    errors.invalidEach(`${at}.resourceNames[${index}]`, name, nameIsPathSegment(name, false))
    if (seen.has(name)) errors.duplicate(`${at}.resourceNames[${index}]`, name)
    seen.add(name)
  })
  checkRule(errors, rule, at)
}

const checkSelector = (errors: ErrorList, selector: LabelSelector | undefined, at: string): void => {
  if (selector === undefined) errors.required(at)
  else validateLabelSelector(errors, selector, at)
}

export const checkMatchResources = (errors: ErrorList, match: MatchResources, at: string): void => {
  const { matchPolicy } = match
  if (matchPolicy === undefined) errors.required(`${at}.matchPolicy`)
  else if (!matchPolicies.includes(matchPolicy)) errors.notSupported(`${at}.matchPolicy`, matchPolicy, matchPolicies)
  checkSelector(errors, match.namespaceSelector, `${at}.namespaceSelector`)
  checkSelector(errors, match.objectSelector, `${at}.objectSelector`)
  for (const field of ["resourceRules", "excludeResourceRules"] as const) {
    match[field]?.forEach((rule, index) => {
      checkNamedRule(errors, rule, `${at}.${field}[${index}]`)
    })
  }
}

/** A mutating policy does not handle deletions. */
export const checkMutatingOperations = (errors: ErrorList, match: MatchResources, at: string): void => {
  for (const { operations: given = [] } of match.resourceRules ?? []) {
    for (const operation of given) {
      if (!mutatingOperations.includes(operation))
        errors.notSupported(`${at}.resourceRules.operations`, operation, mutatingOperations)
    }
  }
}
