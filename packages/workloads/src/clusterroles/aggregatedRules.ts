import { type ClusterRole, matchesLabelSelector, type PolicyRule } from "@rollcall/api"
import { semanticEqual } from "@rollcall/api/validation"

const byName = (left: ClusterRole, right: ClusterRole): number =>
  (left.metadata.name ?? "") < (right.metadata.name ?? "") ? -1 : 1

/**
 * Returns the rules that a role with an aggregation rule must have: those of the roles that its selectors match, by
 * selector and name, each rule once. Undefined for a role without one, and for one that has these rules. Upstream:
 * pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go, syncClusterRole.
 */
export const aggregatedRules = (
  role: ClusterRole,
  roles: ReadonlyArray<ClusterRole>
): ReadonlyArray<PolicyRule> | undefined => {
  if (role.aggregationRule === undefined) return undefined
  const rules = new Map<string, PolicyRule>()
  for (const selector of role.aggregationRule.clusterRoleSelectors ?? []) {
    const selected = roles.filter(({ metadata }) => matchesLabelSelector(selector, metadata.labels))
    for (const other of selected.toSorted(byName)) {
      if (other.metadata.name === role.metadata.name) continue
      for (const rule of other.rules ?? []) {
        const key = keyOf(rule)
        if (!rules.has(key)) rules.set(key, rule)
      }
    }
  }
  const wanted = [...rules.values()]
  return semanticEqual(wanted, role.rules ?? []) ? undefined : wanted
}

/** The same text for equal rules: an absent list equals an empty one. */
const keyOf = ({ apiGroups = [], nonResourceURLs = [], resourceNames = [], resources = [], verbs = [] }: PolicyRule) =>
  JSON.stringify([apiGroups, nonResourceURLs, resourceNames, resources, verbs])
