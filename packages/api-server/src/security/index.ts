// Authentication and authorization.

export type { VirtualCreate, VirtualResource } from "../core/admission/VirtualResource.ts"
export type {
  Authentication,
  Authenticator,
  Credentials,
  Security,
  SecurityPlan,
  SecuritySource
} from "../core/ports/Security.ts"
export type { StaticToken } from "./authentication/authenticators.ts"
export type { FrontProxyOptions } from "./authentication/frontProxies.ts"
export { legacyTokenSigner } from "./authentication/legacyTokens.ts"
export {
  type AuthorizationMode,
  makeSecurity,
  type SecurityOptions,
  type ServiceAccountOptions,
  securityPlan
} from "./makeSecurity.ts"

// Admission plugins that know who asks.

export { nodeRestriction } from "./admission/NodeRestriction.ts"
export { serviceAccountAdmission } from "./admission/ServiceAccount.ts"
export { type ServerAdmissionOptions, serverAdmissionPlugins } from "./admission/serverAdmission.ts"
