import { type ClusterRole, matchesLabelSelector, type PolicyRule } from "@rollcall/api"

/**
 * The rules that a cluster role amounts to: its own, or, where it says so, those of all cluster roles that its selectors choose, each
 * once. Upstream a controller writes these into the role (pkg/controller/clusterroleaggregation); computed when asked for, they hold
 * without one, and cannot be out of date.
 */
export const effectiveRules = (role: ClusterRole, roles: ReadonlyArray<ClusterRole>): ReadonlyArray<PolicyRule> => {
  const gathered = new Map<string, PolicyRule>()
  gather(role, roles, new Set(), gathered)
  return [...gathered.values()]
}

/** Roles that select each other in a circle are visited once. */
const gather = (
  role: ClusterRole,
  roles: ReadonlyArray<ClusterRole>,
  visited: Set<ClusterRole>,
  gathered: Map<string, PolicyRule>
): void => {
  if (visited.has(role)) return
  visited.add(role)
  const selectors = role.aggregationRule?.clusterRoleSelectors
  if (selectors === undefined) {
    for (const rule of role.rules ?? []) gathered.set(JSON.stringify(rule), rule)
    return
  }
  for (const other of roles) {
    const { labels } = other.metadata
    if (selectors.some((selector) => matchesLabelSelector(selector, labels))) gather(other, roles, visited, gathered)
  }
}
