import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/rbac/v1/{types.go,generated.proto}. */
export const rbac: Table = {
  package: "io.k8s.api.rbac.v1",
  group: "rbac.authorization.k8s.io",
  text: `
Role kind list
  metadata 1 meta.ObjectMeta &
  rules 2 []PolicyRule 0
PolicyRule
  verbs 1 []string !
  apiGroups 2 []string
  resources 3 []string
  resourceNames 4 []string
  nonResourceURLs 5 []string
ClusterRole kind list
  metadata 1 meta.ObjectMeta &
  rules 2 []PolicyRule 0
  aggregationRule 3 AggregationRule
AggregationRule
  clusterRoleSelectors 1 []meta.LabelSelector
RoleBinding kind list
  metadata 1 meta.ObjectMeta &
  subjects 2 []Subject
  roleRef 3 RoleRef ! &
RoleRef atomic
  apiGroup 1 string
  kind 2 string !
  name 3 string !
Subject atomic
  kind 1 string !
  apiGroup 2 string
  name 3 string !
  namespace 4 string
ClusterRoleBinding kind list
  metadata 1 meta.ObjectMeta &
  subjects 2 []Subject
  roleRef 3 RoleRef ! &
`
}
