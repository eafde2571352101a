import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject } from "../objects/Rbac.ts"
import { ErrorList } from "./ErrorList.ts"
import type { FieldErrors } from "./FieldError.ts"
import { validateLabelSelector } from "./labels.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { nameIsDNSSubdomain, nameIsPathSegment } from "./names.ts"

/** Upstream: pkg/apis/rbac/validation/validation.go. */

const RBAC = "rbac.authorization.k8s.io"

const checkRule = (errors: ErrorList, rule: PolicyRule, namespaced: boolean, path: string): void => {
  const { apiGroups = [], nonResourceURLs = [], resourceNames = [], resources = [], verbs = [] } = rule
  if (verbs.length === 0) errors.required(`${path}.verbs`, "verbs must contain at least one value")
  if (nonResourceURLs.length > 0) {
    const at = `${path}.nonResourceURLs`
    if (namespaced) errors.invalid(at, nonResourceURLs, "namespaced rules cannot apply to non-resource URLs")
    if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0) {
      errors.invalid(at, nonResourceURLs, "rules cannot apply to both regular resources and non-resource URLs")
    }
    return
  }
  if (apiGroups.length === 0) {
    errors.required(`${path}.apiGroups`, "resource rules must supply at least one api group")
  }
  if (resources.length === 0) errors.required(`${path}.resources`, "resource rules must supply at least one resource")
}

const checkRules = (errors: ErrorList, rules: Role["rules"], namespaced: boolean): void => {
  rules?.forEach((rule, index) => {
    checkRule(errors, rule, namespaced, `rules[${index}]`)
  })
}

const metadataOptions = (namespaced: boolean) => ({ namespaced, name: nameIsPathSegment, standardFinalizers: true })

export const validateRole = (role: Role): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, role.metadata, metadataOptions(true))
  checkRules(errors, role.rules, true)
  return errors.all
}

export const validateClusterRole = (role: ClusterRole): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, role.metadata, metadataOptions(false))
  checkRules(errors, role.rules, false)
  const { aggregationRule } = role
  if (aggregationRule === undefined) return errors.all
  const selectors = aggregationRule.clusterRoleSelectors ?? []
  const path = "aggregationRule.clusterRoleSelectors"
  if (selectors.length === 0) {
    errors.required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil")
  }
  selectors.forEach((selector, index) => {
    const before = errors.size
    validateLabelSelector(errors, selector, `${path}[${index}]`)
    // Go's conversion, which fails then, returns nothing.
    if (errors.size > before) errors.invalid(`${path}[${index}]`, null, "invalid label selector.")
  })
  return errors.all
}

const checkSubject = (errors: ErrorList, subject: Subject, namespaced: boolean, path: string): void => {
  const { apiGroup = "", kind = "", name = "", namespace = "" } = subject
  if (name === "") errors.required(`${path}.name`)
  switch (kind) {
    case "ServiceAccount":
      if (name !== "") errors.invalidEach(`${path}.name`, name, nameIsDNSSubdomain(name, false))
      if (apiGroup !== "") errors.notSupportedText(`${path}.apiGroup`, apiGroup, [""])
      if (namespace === "" && !namespaced) errors.required(`${path}.namespace`)
      break
    case "User":
    case "Group":
      if (apiGroup !== RBAC) errors.notSupportedText(`${path}.apiGroup`, apiGroup, [RBAC])
      break
    default:
      errors.notSupportedText(`${path}.kind`, kind, ["ServiceAccount", "User", "Group"])
  }
}

const checkBinding = (errors: ErrorList, binding: RoleBinding | ClusterRoleBinding, namespaced: boolean): void => {
  validateObjectMeta(errors, binding.metadata, metadataOptions(namespaced))
  const { apiGroup = "", kind, name } = binding.roleRef
  if (apiGroup !== RBAC) errors.notSupportedText("roleRef.apiGroup", apiGroup, [RBAC])
  const kinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"]
  if (!kinds.includes(kind)) errors.notSupportedText("roleRef.kind", kind, kinds)
  if (name === "") errors.required("roleRef.name")
  else errors.invalidEach("roleRef.name", name, nameIsPathSegment(name, false))
  binding.subjects?.forEach((subject, index) => {
    checkSubject(errors, subject, namespaced, `subjects[${index}]`)
  })
}

export const validateRoleBinding = (binding: RoleBinding): FieldErrors => {
  const errors = new ErrorList()
  checkBinding(errors, binding, true)
  return errors.all
}

export const validateClusterRoleBinding = (binding: ClusterRoleBinding): FieldErrors => {
  const errors = new ErrorList()
  checkBinding(errors, binding, false)
  return errors.all
}

const updateValidatorOf =
  <A extends Role | ClusterRole>(validate: (role: A) => FieldErrors) =>
  (role: A, old: A): FieldErrors => {
    const errors = new ErrorList()
    errors.append(validate(role))
    validateObjectMetaUpdate(errors, role.metadata, old.metadata, { standardFinalizers: true })
    return errors.all
  }

export const validateRoleUpdate = updateValidatorOf<Role>(validateRole)
export const validateClusterRoleUpdate = updateValidatorOf<ClusterRole>(validateClusterRole)

/** Makes the validation of a binding's update: the role is immutable, the subjects are not. */
const bindingUpdateValidator =
  (namespaced: boolean) =>
  (binding: RoleBinding | ClusterRoleBinding, old: RoleBinding | ClusterRoleBinding): FieldErrors => {
    const errors = new ErrorList()
    checkBinding(errors, binding, namespaced)
    validateObjectMetaUpdate(errors, binding.metadata, old.metadata, { standardFinalizers: true })
    const { apiGroup = "", kind, name } = binding.roleRef
    const stored = old.roleRef
    if (apiGroup !== (stored.apiGroup ?? "") || kind !== stored.kind || name !== stored.name) {
      errors.invalid("roleRef", { APIGroup: apiGroup, Kind: kind, Name: name }, "cannot change roleRef")
    }
    return errors.all
  }

export const validateRoleBindingUpdate: (binding: RoleBinding, old: RoleBinding) => FieldErrors =
  bindingUpdateValidator(true)
export const validateClusterRoleBindingUpdate: (binding: ClusterRoleBinding, old: ClusterRoleBinding) => FieldErrors =
  bindingUpdateValidator(false)
