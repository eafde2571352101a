import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/rbac/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const rbac: Table = {
  package: "io.k8s.api.rbac.v1",
  group: "rbac.authorization.k8s.io",
  messages: `
Role kind hasList # Permissions in one namespace.
  metadata 1 meta.ObjectMeta byValue
  rules 2 []PolicyRule noOmitEmpty
PolicyRule # Verbs that are allowed on some resources or paths.
  verbs 1 []string required
  apiGroups 2 []string
  resources 3 []string
  resourceNames 4 []string
  nonResourceURLs 5 []string
ClusterRole kind hasList # Permissions in all namespaces and for cluster-scoped resources.
  metadata 1 meta.ObjectMeta byValue
  rules 2 []PolicyRule noOmitEmpty
  aggregationRule 3 AggregationRule
AggregationRule
  clusterRoleSelectors 1 []meta.LabelSelector
RoleBinding kind hasList # Grants the permissions of a role to subjects, in one namespace.
  metadata 1 meta.ObjectMeta byValue
  subjects 2 []Subject
  roleRef 3 RoleRef required byValue
RoleRef structType=atomic
  apiGroup 1 string default="" noOmitEmpty
  kind 2 string required
  name 3 string required
Subject structType=atomic
  kind 1 string required
  apiGroup 2 string
  name 3 string required
  namespace 4 string
ClusterRoleBinding kind hasList # Grants the permissions of a cluster role to subjects, in all namespaces.
  metadata 1 meta.ObjectMeta byValue
  subjects 2 []Subject
  roleRef 3 RoleRef required byValue
`
}
