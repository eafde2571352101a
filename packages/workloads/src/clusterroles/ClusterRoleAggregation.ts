import { Controller } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { aggregatedRules } from "./aggregatedRules.ts"

const FIELD_MANAGER = "clusterrole-aggregation-controller"

/**
 * Writes into each ClusterRole with an aggregation rule the rules of the roles that it selects. Any change of a
 * ClusterRole concerns all of these. Upstream: pkg/controller/clusterroleaggregation.
 */
export const layerClusterRoleAggregation = Controller.make({
  name: FIELD_MANAGER,
  queue: "ClusterRoleAggregator",
  for: "ClusterRole",
  when: () => false,
  watches: {
    ClusterRole: {
      concerns: (_, { cache }) =>
        cache("ClusterRole")
          .list()
          .flatMap(({ aggregationRule, metadata: { name = "" } }) => (aggregationRule === undefined ? [] : [name]))
    }
  },
  workers: 5,
  reconcile: ({ cache, cluster }) => {
    const roles = cache("ClusterRole")
    return (name) => {
      const role = roles.get(name)
      const rules = role && aggregatedRules(role, roles.list())
      if (rules === undefined) return Effect.void
      const head = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name } }
      // Without rules, the controller owns none.
      const body = rules.length === 0 ? head : { ...head, rules }
      const options = { fieldManager: FIELD_MANAGER, force: true }
      return Effect.asVoid(cluster.patch("ClusterRole", { name }, "apply", body, options))
    }
  }
})
