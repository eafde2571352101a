import type { KubeletConfig } from "../KubeletConfig.ts"
import type { PressureKind } from "../node/Conditions.ts"
import { thresholdsOf } from "./parseThresholds.ts"
import { signalFacts } from "./Signals.ts"
import type { Observations, Threshold } from "./Threshold.ts"

/** What the eviction manager goes by. */
export interface EvictionSettings {
  readonly thresholds: ReadonlyArray<Threshold>
  readonly maxPodGraceSeconds: number
  readonly transitionPeriodMs: number
  readonly localStorageCapacityIsolation: boolean
  /** Gate PodLevelResources. */
  readonly podLevelResources: boolean
  /** Gate KubeletSeparateDiskGC; without it, containers lie where images do. */
  readonly separateDiskGC: boolean
}

const settingsByConfig = new WeakMap<KubeletConfig, EvictionSettings>()

/** Of a validated configuration; worked out once, whoever shares it. */
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

/** What is remembered from one pass to the next. */
export interface EvictionState {
  /** With those of containers' filesystem; undefined until the layout was seen. */
  readonly thresholds: ReadonlyArray<Threshold> | undefined
  /** Since when each threshold has been met without a break. */
  readonly metSinceMs: ReadonlyMap<Threshold, number>
  /** When each condition was last called for. */
  readonly observedMs: ReadonlyMap<PressureKind, number>
  /** The node's conditions, sorted. */
  readonly conditions: ReadonlyArray<PressureKind>
  /** Thresholds that were met for their whole grace period. */
  readonly actedOn: ReadonlyArray<Threshold>
  readonly observations: Observations
}

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

/** Thresholds whose grace period is over. Upstream: thresholdsMetGracePeriod. */
export const graceOver = (since: EvictionState["metSinceMs"], nowMs: number): ReadonlyArray<Threshold> =>
  Array.from(since)
    .filter(([{ graceMs }, sinceMs]) => nowMs - sinceMs >= graceMs)
    .map(([threshold]) => threshold)

/** What met thresholds call for counts as observed now; what was observed a whole transition period ago is forgotten. */
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

/** Thresholds whose figures are newer than in the pass before. Upstream: thresholdsUpdatedStats. */
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
