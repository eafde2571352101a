import type { ClusterRoleBinding, PolicyRule, RoleBinding } from "@rollcall/api"
import type { RbacUser } from "./identity.ts"

/** A request, as RBAC sees it. Upstream: apiserver/pkg/authorization/authorizer/interfaces.go, Attributes. */
export interface RbacRequest {
  readonly user: RbacUser
  /** get, list, watch, create, update, patch, delete, …; for non-resource requests the HTTP method in lower case. */
  readonly verb: string
  /** Whether the path is one of the API's resources. If it is not, the fields from `group` to `name` are empty. */
  readonly isResource: boolean
  readonly path: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

/** The common fields of both kinds of bindings. */
export type Binding = ClusterRoleBinding | RoleBinding

export const rbacGroup = "rbac.authorization.k8s.io"
export const roleKinds: ReadonlySet<string> = new Set(["Role", "ClusterRole"])
export const rbacKinds: ReadonlySet<string> = new Set([...roleKinds, "RoleBinding", "ClusterRoleBinding"])

/** Whether a rule allows a request. Upstream: pkg/apis/rbac/v1/evaluation_helpers.go and rbac.go, RuleAllows. */
export const ruleAllows = (rule: PolicyRule, request: RbacRequest): boolean => {
  if (!hasOrAll(rule.verbs, request.verb)) return false
  return request.isResource
    ? hasOrAll(rule.apiGroups, request.group) && resourceMatches(rule, request) && nameMatches(rule, request.name)
    : pathMatches(rule.nonResourceURLs, request.path)
}

/** Whether the list contains the text or `*`. */
const hasOrAll = (given: ReadonlyArray<string> | undefined, wanted: string): boolean =>
  given?.includes(wanted) === true || given?.includes("*") === true

const resourceMatches = ({ resources }: PolicyRule, { resource, subresource }: RbacRequest): boolean => {
  if (resources === undefined) return false
  if (subresource === "") return hasOrAll(resources, resource)
  return hasOrAll(resources, `${resource}/${subresource}`) || resources.includes(`*/${subresource}`)
}

const nameMatches = ({ resourceNames }: PolicyRule, name: string): boolean =>
  resourceNames === undefined || resourceNames.length === 0 || resourceNames.includes(name)

const pathMatches = (urls: ReadonlyArray<string> | undefined, path: string): boolean =>
  urls?.some((url) => url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1)))) === true
