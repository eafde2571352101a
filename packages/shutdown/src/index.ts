// The shutdown manager.

export type { ObserveShutdown, ShutdownEvent } from "./manager/ShutdownEvent.ts"
export {
  makeShutdownManager,
  ShutdownManager,
  type ShutdownManagerOptions,
  type ShutdownManagerShape,
  startLogged
} from "./manager/ShutdownManager.ts"

// What it asks of a machine: inhibitors, kills, and where it keeps its state.

export {
  type ModelledLogind,
  type ModelledLogindOptions,
  makeModelledLogind,
  type PowerOff
} from "./modelled/ModelledLogind.ts"
export { type KillOutcome, PodKiller, type ShutdownKill } from "./ports/PodKiller.ts"
export { InhibitorError, type InhibitorSession, ShutdownInhibitor } from "./ports/ShutdownInhibitor.ts"
export { makeMemoryState, ShutdownState, type ShutdownTimes } from "./ports/ShutdownState.ts"
export { layerStateFile } from "./state/layerStateFile.ts"

// How it is configured, and what is wrong with a configuration.

export { logindOverrideFile, logindOverrideText } from "./config/logindOverride.ts"
export type { ShutdownBucket, ShutdownConfig, ShutdownGates } from "./config/ShutdownConfig.ts"
export type { FindingCode, FindingSeverity, ShutdownFinding } from "./lint/Finding.ts"
export { type LintOptions, lintShutdown } from "./lint/lintShutdown.ts"

// The status of a pod that a shutdown ended.

export { terminatedStatus } from "./plan/terminatedStatus.ts"
