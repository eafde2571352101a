import type { KubeletConfig } from "../KubeletConfig.ts"
import type { PressureKind } from "../node/Conditions.ts"
import { thresholdsOf } from "./parseThresholds.ts"
import { signalFacts } from "./Signals.ts"
import type { Observations, Threshold } from "./Threshold.ts"

/** The settings of the eviction manager. */
export interface EvictionSettings {
  readonly thresholds: ReadonlyArray<Threshold>
  readonly maxPodGraceSeconds: number
  readonly transitionPeriodMs: number
  readonly localStorageCapacityIsolation: boolean
  /** The gate PodLevelResources. */
  readonly podLevelResources: boolean
  /** Gate KubeletSeparateDiskGC. Without it, containers' writable layers count as on the images' filesystem. */
  readonly separateDiskGC: boolean
}

const settingsByConfig = new WeakMap<KubeletConfig, EvictionSettings>()

/** Returns the settings of a validated configuration, which are computed once for each configuration. */
export const evictionSettings = (config: KubeletConfig): EvictionSettings => {
  let settings = settingsByConfig.get(config)
  if (settings === undefined) {
    settings = {
      thresholds: thresholdsOf(config),
      maxPodGraceSeconds: config.evictionMaxPodGracePeriod,
      transitionPeriodMs: config.evictionPressureTransitionPeriodMs,
      localStorageCapacityIsolation: config.localStorageCapacityIsolation,
      podLevelResources: config.featureGates.PodLevelResources,
      separateDiskGC: config.featureGates.KubeletSeparateDiskGC
    }
    settingsByConfig.set(config, settings)
  }
  return settings
}

/** The state of an eviction manager between two synchronizations. */
export interface EvictionState {
  /** The thresholds, including those of the containers' filesystem; undefined before the first synchronization. */
  readonly thresholds: ReadonlyArray<Threshold> | undefined
  /** Since when each threshold has been met without interruption. */
  readonly metSinceMs: ReadonlyMap<Threshold, number>
  /** When each condition was last observed. */
  readonly observedMs: ReadonlyMap<PressureKind, number>
  /** The node's conditions, sorted. */
  readonly conditions: ReadonlyArray<PressureKind>
  /** The thresholds that have been met for their whole grace period. */
  readonly actedOn: ReadonlyArray<Threshold>
  /** The readings of the last synchronization. */
  readonly observations: Observations
}

/** The state of an eviction manager before its first synchronization. */
export const noPressure: EvictionState = {
  thresholds: undefined,
  metSinceMs: new Map(),
  observedMs: new Map(),
  conditions: [],
  actedOn: [],
  observations: {}
}

/**
 * Returns since when each met threshold has been met. Upstream: pkg/kubelet/eviction/helpers.go
 * thresholdsFirstObservedAt.
 */
export const stillMetSince = (
  before: EvictionState["metSinceMs"],
  met: ReadonlyArray<Threshold>,
  nowMs: number
): EvictionState["metSinceMs"] =>
  met.length === 0
    ? noPressure.metSinceMs
    : new Map(met.map((threshold) => [threshold, before.get(threshold) ?? nowMs] as const))

/** Returns the thresholds that have been met for their grace period. Upstream: thresholdsMetGracePeriod. */
export const graceOver = (since: EvictionState["metSinceMs"], nowMs: number): ReadonlyArray<Threshold> =>
  Array.from(since)
    .filter(([{ graceMs }, sinceMs]) => nowMs - sinceMs >= graceMs)
    .map(([threshold]) => threshold)

/**
 * Returns when each condition was last observed: now for the conditions of met thresholds. Conditions that were last
 * observed a whole transition period ago are dropped. Upstream: nodeConditionsLastObservedAt,
 * nodeConditionsObservedSince.
 */
export const lastObserved = (
  before: EvictionState["observedMs"],
  met: ReadonlyArray<Threshold>,
  nowMs: number,
  transitionPeriodMs: number
): EvictionState["observedMs"] => {
  if (met.length === 0 && before.size === 0) return before
  const observed = new Map(before)
  for (const { signal } of met) observed.set(signalFacts[signal].condition, nowMs)
  for (const [kind, atMs] of observed) if (nowMs - atMs >= transitionPeriodMs) observed.delete(kind)
  return observed
}

/**
 * Returns the thresholds with newer readings than in the previous synchronization. Upstream: thresholdsUpdatedStats.
 */
export const newlyMeasured = (
  thresholds: ReadonlyArray<Threshold>,
  observations: Observations,
  before: Observations
): ReadonlyArray<Threshold> =>
  thresholds.filter(({ signal }) => {
    const atMs = observations[signal]?.atMs
    const lastMs = before[signal]?.atMs
    return atMs !== undefined && (lastMs === undefined || atMs > lastMs)
  })
