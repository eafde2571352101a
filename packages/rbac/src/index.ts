// Decisions by roles and bindings.

export { describeRules, uncovered } from "./covers.ts"
export { type NamespaceRules, Rbac, type RbacDecision, type RbacSource, type ResolvedRules } from "./Rbac.ts"
export { type Binding, type RbacRequest, rbacGroup, rbacKinds, roleKinds, ruleAllows } from "./rules.ts"

// The roles that a cluster starts with.

export { bootstrapPolicy, nodeRules } from "./bootstrap/policy.ts"

// The users and groups that the API server knows.

export {
  authenticatedGroup,
  nodeNameOf,
  privilegedGroup,
  type RbacUser,
  serviceAccountsGroup,
  serviceAccountUser
} from "./identity.ts"
