export * from "../core/ports/Security.ts"
export { nodeRestriction } from "./admission/NodeRestriction.ts"
export { serviceAccountAdmission } from "./admission/ServiceAccount.ts"
export { type ServerAdmissionOptions, serverAdmissionPlugins } from "./admission/serverAdmission.ts"
export type { StaticToken, TokenAnswer, TokenLookup } from "./authentication/authenticators.ts"
export {
  type AuthorizationMode,
  firstObjects,
  makeSecurity,
  type SecurityOptions,
  type ServiceAccountOptions,
  securityPlan
} from "./makeSecurity.ts"
export { decideForNode, type Reaches } from "./node/NodeAuthorizer.ts"
export { type Referenced, ReferenceGraph } from "./node/ReferenceGraph.ts"
export { bootstrapPolicy } from "./rbac/bootstrap/index.ts"
