export type { TokenAnswer, TokenLookup } from "./authentication/bearer.ts"
export type { StaticToken } from "./authentication/staticTokens.ts"
export { authorizationRefusal } from "./authorizers.ts"
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
export * from "./ports.ts"
export { bootstrapPolicy } from "./rbac/bootstrap/index.ts"
export { type SecuritySource, sourceOf } from "./source.ts"
