import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/rbac/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const rbac: Table = {
  package: "io.k8s.api.rbac.v1",
  group: "rbac.authorization.k8s.io",
  text: `
Role kind list # Permissions in one namespace.
  metadata 1 meta.ObjectMeta &
  rules 2 []PolicyRule 0
PolicyRule # Verbs that are allowed on some resources or paths.
  verbs 1 []string !
  apiGroups 2 []string
  resources 3 []string
  resourceNames 4 []string
  nonResourceURLs 5 []string
ClusterRole kind list # Permissions in all namespaces and for cluster-scoped resources.
  metadata 1 meta.ObjectMeta &
  rules 2 []PolicyRule 0
  aggregationRule 3 AggregationRule
AggregationRule
  clusterRoleSelectors 1 []meta.LabelSelector
RoleBinding kind list # Grants the permissions of a role to subjects, in one namespace.
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
ClusterRoleBinding kind list # Grants the permissions of a cluster role to subjects, in all namespaces.
  metadata 1 meta.ObjectMeta &
  subjects 2 []Subject
  roleRef 3 RoleRef ! &
`
}
