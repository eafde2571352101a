import type { ClusterRoleBinding, PolicyRule, RoleBinding } from "@rollcall/api"
import type { RequestAttributes } from "../../core/ports/Security.ts"

/** The common fields of both kinds of bindings. */
export type Binding = ClusterRoleBinding | RoleBinding

export const rbacGroup = "rbac.authorization.k8s.io"
export const roleKinds: ReadonlySet<string> = new Set(["Role", "ClusterRole"])
export const rbacKinds: ReadonlySet<string> = new Set([...roleKinds, "RoleBinding", "ClusterRoleBinding"])

/** Whether a rule allows a request. Upstream: pkg/apis/rbac/v1/evaluation_helpers.go and rbac.go, RuleAllows. */
export const ruleAllows = (rule: PolicyRule, request: RequestAttributes): boolean => {
  if (!hasOrAll(rule.verbs, request.verb)) return false
  return request.isResource
    ? hasOrAll(rule.apiGroups, request.group) && resourceMatches(rule, request) && nameMatches(rule, request.name)
    : pathMatches(rule.nonResourceURLs, request.path)
}

/** Whether the list contains the text or `*`. */
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
