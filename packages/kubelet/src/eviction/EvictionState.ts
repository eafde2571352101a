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
  /** Gate PodLevelResources. */
  readonly podLevelResources: boolean
  /** Gate KubeletSeparateDiskGC; without it, containers are on the images' filesystem. */
  readonly separateDiskGC: boolean
}

const settingsByConfig = new WeakMap<KubeletConfig, EvictionSettings>()

/** The settings of a validated configuration; computed once per configuration. */
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

/** The state between two synchronizations. */
export interface EvictionState {
  /** Including those of the containers' filesystem; undefined until the layout is known. */
  readonly thresholds: ReadonlyArray<Threshold> | undefined
  /** Since when each threshold has been met without interruption. */
  readonly metSinceMs: ReadonlyMap<Threshold, number>
  /** When each condition was last observed. */
  readonly observedMs: ReadonlyMap<PressureKind, number>
  /** The node's conditions, sorted. */
  readonly conditions: ReadonlyArray<PressureKind>
  /** Thresholds that were met for their whole grace period. */
  readonly actedOn: ReadonlyArray<Threshold>
  readonly observations: Observations
}

/** The state of an eviction manager before its first pass. */
export const noPressure: EvictionState = {
  thresholds: undefined,
  metSinceMs: new Map(),
  observedMs: new Map(),
  conditions: [],
  actedOn: [],
  observations: {}
}

/** Upstream: thresholdsFirstObservedAt. */
export const stillMetSince = (
  before: EvictionState["metSinceMs"],
  met: ReadonlyArray<Threshold>,
  nowMs: number
): EvictionState["metSinceMs"] =>
  met.length === 0
    ? noPressure.metSinceMs
    : new Map(met.map((threshold) => [threshold, before.get(threshold) ?? nowMs] as const))

/** Thresholds whose grace period has passed. Upstream: thresholdsMetGracePeriod. */
export const graceOver = (since: EvictionState["metSinceMs"], nowMs: number): ReadonlyArray<Threshold> =>
  Array.from(since)
    .filter(([{ graceMs }, sinceMs]) => nowMs - sinceMs >= graceMs)
    .map(([threshold]) => threshold)

/** The conditions of met thresholds are observed now; those last observed a whole transition period ago are dropped. */
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

/** Thresholds with newer measurements than in the previous synchronization. Upstream: thresholdsUpdatedStats. */
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
