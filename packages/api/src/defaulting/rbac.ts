import type { ClusterRoleBinding, RoleBinding, RoleRef, Subject } from "../objects/Rbac.ts"
import { mapItems, withDefaults, withFields } from "./fill.ts"

/** Upstream: pkg/apis/rbac/v1/defaults.go. */

const subjectDefaults = { apiGroup: "rbac.authorization.k8s.io" }

const completeSubject = (subject: Subject): Subject =>
  subject.kind === "User" || subject.kind === "Group" ? withDefaults(subject, subjectDefaults) : subject

const noRole: RoleRef = { kind: "", name: "" }

export const defaultBinding = <A extends RoleBinding | ClusterRoleBinding>(binding: A): A => {
  const roleRef = withDefaults(binding.roleRef ?? noRole, subjectDefaults)
  const subjects = binding.subjects === undefined ? undefined : mapItems(binding.subjects, completeSubject)
  return withFields<RoleBinding | ClusterRoleBinding>(binding, { roleRef, subjects }) as A
}
