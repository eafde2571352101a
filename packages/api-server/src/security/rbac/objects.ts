import type { ClusterRoleBinding, RoleBinding } from "@rollcall/api"

/** What the two sorts of bindings, and of roles, have in common. */
export type Binding = ClusterRoleBinding | RoleBinding

export const rbacGroup = "rbac.authorization.k8s.io"
export const roleKinds: ReadonlySet<string> = new Set(["Role", "ClusterRole"])
export const rbacKinds: ReadonlySet<string> = new Set([...roleKinds, "RoleBinding", "ClusterRoleBinding"])
