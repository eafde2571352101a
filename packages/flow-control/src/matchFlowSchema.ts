import type { FlowSchema, FlowSubject, NonResourcePolicyRule, ResourcePolicyRule } from "@rollcall/api"
import type { FlowRequestInfo, FlowUser } from "./FlowControl.ts"

/** Whether a list of a rule has the value or is `*`; validation ensures that `*` is then its only element. */
const includes = (list: ReadonlyArray<string> | null | undefined, value: string): boolean => {
  if (list === undefined || list === null) return false
  return list.includes(value) || (list.length === 1 && list[0] === "*")
}

const ACCOUNT = "system:serviceaccount:"

const isAccount = (user: string, namespace: string, name: string): boolean => {
  const start = ACCOUNT.length
  if (!user.startsWith(ACCOUNT) || !user.startsWith(`${namespace}:`, start)) return false
  return name === "*" || user.slice(start + namespace.length + 1) === name
}

const matchesSubject = ({ groups, user }: FlowUser, subject: FlowSubject): boolean => {
  switch (subject.kind) {
    case "User":
      return subject.user !== undefined && (subject.user.name === "*" || subject.user.name === user)
    case "Group":
      return subject.group !== undefined && (subject.group.name === "*" || groups.includes(subject.group.name))
    case "ServiceAccount": {
      const account = subject.serviceAccount
      return account !== undefined && isAccount(user, account.namespace, account.name)
    }
    default:
      return false
  }
}

const matchesResourceRule = (info: FlowRequestInfo, rule: ResourcePolicyRule): boolean => {
  const { resource, subresource } = info
  if (!includes(rule.verbs, info.verb)) return false
  if (!includes(rule.resources, subresource === "" ? resource : `${resource}/${subresource}`)) return false
  if (!includes(rule.apiGroups, info.group)) return false
  return info.namespace === "" ? rule.clusterScope === true : includes(rule.namespaces, info.namespace)
}

/** Whether a rule's path matches: it may end in `*`. */
const matchesPath = (rule: string, path: string): boolean => {
  if (rule === "*" || rule === path) return true
  const prefix = rule.endsWith("*") ? rule.slice(0, -1) : rule
  return path.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`)
}

const matchesNonResourceRule = ({ path, verb }: FlowRequestInfo, rule: NonResourcePolicyRule): boolean =>
  includes(rule.verbs, verb) && (rule.nonResourceURLs ?? []).some((url) => matchesPath(url, path))

/** Whether a FlowSchema matches a request. Upstream: apiserver/pkg/util/flowcontrol/rule.go. */
export const matchesFlowSchema = (info: FlowRequestInfo, user: FlowUser, { spec }: FlowSchema): boolean => {
  for (const rule of spec?.rules ?? []) {
    if (!rule.subjects?.some((subject) => matchesSubject(user, subject))) continue
    const matches = info.isResource
      ? rule.resourceRules?.some((each) => matchesResourceRule(info, each))
      : rule.nonResourceRules?.some((each) => matchesNonResourceRule(info, each))
    if (matches === true) return true
  }
  return false
}

/**
 * Returns what distinguishes the flow of a request from the others of its FlowSchema: its user, its namespace, or "".
 */
export const flowDistinguisher = (info: FlowRequestInfo, user: FlowUser, { spec }: FlowSchema): string => {
  switch (spec?.distinguisherMethod?.type) {
    case "ByUser":
      return user.user
    case "ByNamespace":
      return info.namespace
    default:
      return ""
  }
}

/** Compares FlowSchemas by the order in which they are tried. Upstream: apihelpers.FlowSchemaSequence. */
export const byPrecedence = (left: FlowSchema, right: FlowSchema): number =>
  (left.spec?.matchingPrecedence ?? 0) - (right.spec?.matchingPrecedence ?? 0) ||
  ((left.metadata.name ?? "") < (right.metadata.name ?? "") ? -1 : 1)
