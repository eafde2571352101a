import type { PolicyRule } from "@rollcall/api"
import type { RequestAttributes } from "../../core/ports/Security.ts"

/** Whether a rule grants what is asked for. Upstream: pkg/apis/rbac/v1/evaluation_helpers.go and rbac.go, RuleAllows. */
export const ruleAllows = (rule: PolicyRule, request: RequestAttributes): boolean => {
  if (!hasOrAll(rule.verbs, request.verb)) return false
  return request.isResource
    ? hasOrAll(rule.apiGroups, request.group) && resourceMatches(rule, request) && nameMatches(rule, request.name)
    : pathMatches(rule.nonResourceURLs, request.path)
}

const hasOrAll = (given: ReadonlyArray<string> | undefined, wanted: string): boolean =>
  given?.includes(wanted) === true || given?.includes("*") === true

const resourceMatches = ({ resources }: PolicyRule, { resource, subresource }: RequestAttributes): boolean => {
  if (resources === undefined) return false
  if (subresource === "") return hasOrAll(resources, resource)
  return hasOrAll(resources, `${resource}/${subresource}`) || resources.includes(`*/${subresource}`)
}

const nameMatches = ({ resourceNames }: PolicyRule, name: string): boolean =>
  resourceNames === undefined || resourceNames.length === 0 || resourceNames.includes(name)

const pathMatches = (urls: ReadonlyArray<string> | undefined, path: string): boolean =>
  urls?.some((url) => url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1)))) === true
