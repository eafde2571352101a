import {
  type ClusterRole,
  forbidden,
  goQuote,
  groupResourceOf,
  type KubeObject,
  notFound,
  type PolicyRule,
  type Status,
  unknownError
} from "@rollcall/api"
import { semanticEqual } from "@rollcall/api/validation"
import {
  type Binding,
  describeRules,
  privilegedGroup,
  type Rbac,
  rbacGroup,
  rbacKinds,
  roleKinds,
  uncovered
} from "@rollcall/rbac"
import * as Result from "effect/Result"
import type { AdmissionAttributes, AdmissionPlugin, UserInfo } from "../../core/admission/Admission.ts"
import type { Authorizer, RequestAttributes } from "../../core/ports/Security.ts"

/**
 * Prevents privilege escalation: a role may contain only rules that its author holds, and a binding may refer only to a
 * role whose rules its author holds, unless the author may `escalate` or `bind` it. Upstream:
 * pkg/registry/rbac/{escalation_check,role/policybased,…}.go.
 */
export const escalationCheck = (rbac: Rbac, authorizer: Authorizer): AdmissionPlugin => ({
  name: "rbac escalation check",
  admits: (kind, verb, subresource) => verb !== "delete" && subresource === undefined && rbacKinds.has(kind),
  // Before validation: a role that its author may not write says no more about itself.
  mutate: (attributes) => {
    if (attributes.userInfo.groups.includes(privilegedGroup)) return Result.succeed(attributes.object)
    const refusal = roleKinds.has(attributes.kind)
      ? roleRefusal(rbac, authorizer, attributes)
      : bindingRefusal(rbac, authorizer, attributes)
    return refusal === undefined ? Result.succeed(attributes.object) : Result.fail(refusal)
  }
})

const everything: ReadonlyArray<PolicyRule> = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] }
]

/** Whether a write changes only what the garbage collector changes. Upstream: pkg/registry/rbac/helpers.go. */
const isGarbageCollection = (object: KubeObject, before: KubeObject): boolean => {
  const rest = ({ metadata, ...parts }: KubeObject) => {
    const { finalizers: _, managedFields: __, ownerReferences: ___, ...kept } = metadata
    return { ...parts, metadata: kept }
  }
  return semanticEqual(rest(object), rest(before))
}

/** Returns why the user may not write the role, or undefined. */
const roleRefusal = (rbac: Rbac, authorizer: Authorizer, attributes: AdmissionAttributes): Status | undefined => {
  const { namespace, object, oldObject, resource, userInfo, verb } = attributes
  if (object === undefined || (oldObject !== undefined && isGarbageCollection(object, oldObject))) return undefined
  const { aggregationRule, metadata, rules } = object as ClusterRole
  const before = oldObject as ClusterRole | undefined
  const { name = "" } = metadata
  // The path of a POST has no name.
  const namedInPath = verb === "create" ? "" : name
  if (isAllowed(authorizer, userInfo, "escalate", resource.plural, namespace, namedInPath)) return undefined
  const why = unheldRulesMessage(rbac, attributes, rules ?? [])
  if (why !== undefined) return forbidden(groupResourceOf(resource), name, why)
  if (aggregationRule === undefined && before?.aggregationRule === undefined) return undefined
  return uncovered(rbac.resolve(userInfo, namespace).rules, everything).length === 0
    ? undefined
    : forbidden(groupResourceOf(resource), name, "must have cluster-admin privileges to use the aggregationRule")
}

/** Returns why the user may not write the binding, or undefined. */
const bindingRefusal = (rbac: Rbac, authorizer: Authorizer, attributes: AdmissionAttributes): Status | undefined => {
  const { namespace, object, oldObject, resource, userInfo } = attributes
  if (object === undefined || (oldObject !== undefined && isGarbageCollection(object, oldObject))) return undefined
  const { metadata, roleRef } = object as Binding
  const role = roleResource(roleRef.kind)
  if (role === undefined) return unknownError(`unsupported role reference kind: ${goQuote(roleRef.kind)}`)
  if (isAllowed(authorizer, userInfo, "bind", role, namespace, roleRef.name)) return undefined
  const rules = rbac.rulesOf(roleRef, namespace)
  // Upstream's error names the resource of the request, which is the binding.
  if (rules === undefined) return notFound(groupResourceOf(resource), roleRef.name)
  const why = unheldRulesMessage(rbac, attributes, rules)
  return why === undefined ? undefined : forbidden(groupResourceOf(resource), metadata.name ?? "", why)
}

const roleResource = (kind: string): string | undefined => {
  if (kind === "Role") return "roles"
  return kind === "ClusterRole" ? "clusterroles" : undefined
}

/** Returns the message about the rules that the user does not hold, or undefined if there are none. */
const unheldRulesMessage = (
  rbac: Rbac,
  { namespace, resource, userInfo }: AdmissionAttributes,
  rules: ReadonlyArray<PolicyRule>
): string | undefined => {
  const { groups, user } = userInfo
  const resolved = rbac.resolve(userInfo, namespace)
  const missing = uncovered(resolved.rules, rules)
  if (missing.length === 0) return undefined
  const quotedGroups = groups.map((group) => JSON.stringify(group)).join(" ")
  // They name the resource of the request as well, and not the missing role's.
  const missingRoles = resolved.errors.map((error) => error.replace(/^\w+(?=\.rbac)/, resource.plural))
  const errors = missingRoles.length === 0 ? "" : `; resolution errors: [${missingRoles.join(" ")}]`
  return `user ${JSON.stringify(user)} (groups=[${quotedGroups}]) is attempting to grant RBAC permissions not currently held:\n${describeRules(missing)}${errors}`
}

/** Whether the authorizer lets the user use this verb on a role. */
const isAllowed = (
  authorizer: Authorizer,
  user: UserInfo,
  verb: string,
  resource: string,
  namespace: string,
  name: string
): boolean => {
  const request: RequestAttributes = {
    user,
    verb,
    isResource: true,
    path: "",
    group: rbacGroup,
    version: "v1",
    resource,
    subresource: "",
    namespace,
    name
  }
  return authorizer.authorize(request).decision === "Allow"
}
