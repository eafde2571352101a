export * from "./ApiServer.ts"
export * from "./admission/Admission.ts"
export { AdmissionPlugins } from "./admission/AdmissionPlugins.ts"
export * from "./admission/index.ts"
export * from "./deletion/index.ts"
export { decideEviction, type EvictionDecision, ignoresBudgets } from "./eviction/decideEviction.ts"
export type { Audit, AuditRecord } from "./pipeline/Audit.ts"
export type { Reply } from "./pipeline/Exchange.ts"
export type { Identity } from "./pipeline/Identity.ts"
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
