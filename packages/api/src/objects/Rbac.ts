import * as Schema from "effect/Schema"
import { list, oneOf, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { LabelSelector } from "./Meta.ts"

/** Verbs on resources, or on non-resource paths. */
export const PolicyRule = Schema.Struct({
  verbs: list(Schema.String),
  apiGroups: opt(list(Schema.String)),
  resources: opt(list(Schema.String)),
  resourceNames: opt(list(Schema.String)),
  nonResourceURLs: opt(list(Schema.String))
})
export interface PolicyRule extends Schema.Schema.Type<typeof PolicyRule> {}

export const RoleRef = Schema.Struct({ apiGroup: opt(Schema.String), kind: Schema.String, name: Schema.String })
export interface RoleRef extends Schema.Schema.Type<typeof RoleRef> {}

/** The user, group or service account of a binding. */
export const Subject = Schema.Struct({
  kind: oneOf("User", "Group", "ServiceAccount"),
  apiGroup: opt(Schema.String),
  name: Schema.String,
  namespace: opt(Schema.String)
})
export interface Subject extends Schema.Schema.Type<typeof Subject> {}

const rules = opt(Schema.NullOr(list(PolicyRule)))
const binding = { subjects: opt(list(Subject)), roleRef: RoleRef }

/** Permissions in one namespace. */
export const Role = Schema.Struct({ ...typed("rbac.authorization.k8s.io/v1", "Role"), rules })
export interface Role extends Schema.Schema.Type<typeof Role> {}

/** Permissions in the whole cluster. Cluster-scoped. */
export const ClusterRole = Schema.Struct({
  ...typed("rbac.authorization.k8s.io/v1", "ClusterRole"),
  rules,
  aggregationRule: opt(Schema.Struct({ clusterRoleSelectors: opt(list(LabelSelector)) }))
})
export interface ClusterRole extends Schema.Schema.Type<typeof ClusterRole> {}

/** Grants permissions in one namespace. */
export const RoleBinding = Schema.Struct({ ...typed("rbac.authorization.k8s.io/v1", "RoleBinding"), ...binding })
export interface RoleBinding extends Schema.Schema.Type<typeof RoleBinding> {}

/** Grants permissions in the whole cluster. Cluster-scoped. */
export const ClusterRoleBinding = Schema.Struct({
  ...typed("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
  ...binding
})
export interface ClusterRoleBinding extends Schema.Schema.Type<typeof ClusterRoleBinding> {}
