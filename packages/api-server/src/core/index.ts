// The API server.

export { ApiServer, type ApiServerOptions, type ApiServerShape } from "./ApiServer.ts"
export { type Deletion, decideDeletion } from "./deletion/Deletion.ts"
export { decideEviction, type EvictionDecision } from "./deletion/decideEviction.ts"
export type { ServerMetrics } from "./metrics/ServerMetrics.ts"
export type { AdmittedConnection, ConnectionRequest } from "./pipeline/admitConnection.ts"
export type { Audit, AuditRecord, Identity, Reply } from "./pipeline/Exchange.ts"
export {
  type Authorizer,
  Authorizers,
  type Decision,
  type NonResourceRule,
  type RequestAttributes,
  type ResourceRule,
  type UserRules
} from "./ports/Security.ts"
export type { Turns, TurnsOptions } from "./turns/Turns.ts"

// Admission, and its plugins.

export {
  type AdmissionAttributes,
  type AdmissionContext,
  type AdmissionPlugin,
  AdmissionPlugins,
  type AdmissionReader,
  type ConnectionOptions,
  type UserInfo
} from "./admission/Admission.ts"
export { type DefaultAdmissionOptions, defaultAdmissionPlugins, runtimeClassAdmission } from "./admission/index.ts"
export { type ServiceAllocationOptions, serviceAllocation } from "./admission/services/ServiceAllocation.ts"
export { defaultStorageClassAdmission, storageObjectInUse } from "./admission/storage.ts"
export {
  type DefaultTolerationSecondsOptions,
  defaultTolerationSeconds,
  taintNodesByCondition
} from "./admission/taints.ts"

// Kinds that it serves.

export { type CustomOptions, defineCustom } from "./registry/defineCustom.ts"
export {
  define,
  type KindDefinition,
  type KindOptions,
  type Strategy,
  type ViewOf
} from "./registry/KindDefinition.ts"
export type { KindState } from "./registry/KindState.ts"
export type { Registry } from "./registry/Registry.ts"
export { type KindTable, kindTable } from "./registry/table.ts"
