import type { KubeObject, LabelSelector } from "@rollcall/api"

/** One grant. Upstream: staging/src/k8s.io/api/rbac/v1/types.go. */
export interface PolicyRule {
  readonly verbs: ReadonlyArray<string>
  readonly apiGroups?: ReadonlyArray<string>
  readonly resources?: ReadonlyArray<string>
  /** Empty: all. */
  readonly resourceNames?: ReadonlyArray<string>
  readonly nonResourceURLs?: ReadonlyArray<string>
}

export interface Role extends KubeObject {
  readonly rules?: ReadonlyArray<PolicyRule> | null
}

export interface ClusterRole extends KubeObject {
  readonly rules?: ReadonlyArray<PolicyRule> | null
  readonly aggregationRule?: { readonly clusterRoleSelectors?: ReadonlyArray<LabelSelector> }
}

export interface RoleRef {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
}

export interface Subject {
  readonly kind: string
  readonly apiGroup?: string
  readonly name: string
  readonly namespace?: string
}

/** A RoleBinding or a ClusterRoleBinding. */
export interface Binding extends KubeObject {
  readonly subjects?: ReadonlyArray<Subject> | null
  readonly roleRef: RoleRef
}

export const rbacGroup = "rbac.authorization.k8s.io"
export const roleKinds: ReadonlySet<string> = new Set(["Role", "ClusterRole"])
export const rbacKinds: ReadonlySet<string> = new Set([...roleKinds, "RoleBinding", "ClusterRoleBinding"])
