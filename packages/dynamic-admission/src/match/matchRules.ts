import type { NamedRuleWithOperations, RuleWithOperations } from "@rollcall/api"
import type { AdmissionKind } from "../ports.ts"
import type { GroupVersionResource, Subject } from "../Subject.ts"

const has = (values: ReadonlyArray<string> | undefined, value: string): boolean =>
  values?.some((each) => each === "*" || each === value) ?? false

const isNamespaces = ({ group, resource }: GroupVersionResource): boolean => group === "" && resource === "namespaces"

const scopeMatches = ({ scope }: RuleWithOperations, { namespace, resource }: Subject): boolean => {
  if (scope === undefined || scope === "*") return true
  const isClusterScoped = isNamespaces(resource) || namespace === ""
  return (scope === "Cluster") === isClusterScoped
}

const resourceMatches = ({ resources = [] }: RuleWithOperations, resource: string, subresource: string): boolean =>
  resources.some((each) => {
    const slash = each.indexOf("/")
    const [wanted, sub] = slash < 0 ? [each, ""] : [each.slice(0, slash), each.slice(slash + 1)]
    return (wanted === "*" || wanted === resource) && (sub === "*" || sub === subresource)
  })

/** Whether a rule matches a request for a resource. Upstream: plugin/webhook/predicates/rules/rules.go. */
export const ruleMatches = (rule: RuleWithOperations, subject: Subject, resource: GroupVersionResource): boolean =>
  scopeMatches(rule, subject) &&
  has(rule.operations, subject.operation) &&
  has(rule.apiGroups, resource.group) &&
  has(rule.apiVersions, resource.version) &&
  resourceMatches(rule, resource.resource, subject.subresource)

/** Returns the definition whose resource a rule matches: that of the request, or an equivalent one. */
export const matchingDefinition = (
  rules: ReadonlyArray<NamedRuleWithOperations>,
  matchPolicy: string | undefined,
  subject: Subject,
  equivalents: () => ReadonlyArray<AdmissionKind>
): AdmissionKind | undefined => {
  const named = ({ resourceNames = [] }: NamedRuleWithOperations) =>
    resourceNames.length === 0 || resourceNames.includes(subject.name)
  if (rules.some((rule) => ruleMatches(rule, subject, subject.resource) && named(rule))) return subject.definition
  if (matchPolicy !== "Equivalent") return undefined
  for (const rule of rules) {
    if (!named(rule)) continue
    for (const definition of equivalents()) {
      const { group, plural, version } = definition.resource
      if (ruleMatches(rule, subject, { group, version, resource: plural })) return definition
    }
  }
  return undefined
}
