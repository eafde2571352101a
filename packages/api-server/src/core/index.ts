export * from "./ApiServer.ts"
export * from "./admission/Admission.ts"
export { AdmissionPlugins } from "./admission/Admission.ts"
export * from "./admission/index.ts"
export {
  type Deletion,
  decideDeletion,
  deleteOptionsRefusal,
  isFinished,
  podGraceSeconds,
  preconditionRefusal
} from "./deletion/Deletion.ts"
export { decideEviction, type EvictionDecision, ignoresBudgets } from "./deletion/decideEviction.ts"
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
export { eventsView } from "./registry/eventsView.ts"
export {
  type CustomOptions,
  customKind,
  define,
  defineCustom,
  type KindDefinition,
  type KindOptions,
  type Strategy,
  type ViewOf
} from "./registry/KindDefinition.ts"
export type { KindState } from "./registry/KindState.ts"
export type { Registry } from "./registry/Registry.ts"
export { type KindTable, kindTable } from "./registry/table.ts"
export { Turns, type TurnsOptions } from "./turns/Turns.ts"
