// Timers: a service, with a real and a virtual layer.

export { AdvanceableClock, type ClockControl } from "./AdvanceableClock.ts"
export { type NumberedTimers, Timer } from "./TimerHeap.ts"
export { Timers, type TimersShape } from "./Timers.ts"
export { VirtualClock } from "./VirtualClock.ts"
export { makeVirtualTime, type VirtualServices, type VirtualTime, type VirtualTimeOptions } from "./VirtualTime.ts"
export { layerWallClock } from "./WallClock.ts"

// Random numbers that a seed repeats.

export { FNV_OFFSET, FNV_PRIME, fnv1a } from "./fnv1a.ts"
export { draw, Mulberry32, nextRng, nextState, type Rng, type RngState, rngFor, rngOf } from "./random.ts"
export { toWord, uuidV4 } from "./uuid.ts"

// Callbacks whose errors end nothing else.

export { byDefault } from "./byDefault.ts"
export {
  contained,
  containedRunner,
  type ErrorHandling,
  guarded,
  pollWith,
  recovering,
  repeatPasses
} from "./contained.ts"
export { grown } from "./grown.ts"
export { errorText, type HandleError, loggedErrors, rethrowErrors } from "./handledErrors.ts"
export {
  type CheckRecorder,
  type HealthCheck,
  type HealthChecks,
  type HealthEndpoint,
  type HealthQuery,
  healthAnswer,
  isHealthPath,
  ping
} from "./health/HealthCheck.ts"

// Work in steps, between which other work may run.

export { awaitSteps, isSteps, lazily, type MaybeSteps, runAllSteps, type Steps, type Wait, waitFor } from "./Steps.ts"

// Metrics as Prometheus reads them.

export { type Exposition, expositionOf } from "./metrics/exposition.ts"
export {
  counter,
  defaultBuckets,
  exponentialBuckets,
  type Family,
  type FamilyType,
  gauge,
  histogram,
  linearBuckets,
  type Stability,
  summary
} from "./metrics/Family.ts"
export { HealthSlis } from "./metrics/HealthSlis.ts"
export { MetricSet, type ReadSample, type SeriesMap } from "./metrics/MetricSet.ts"
export { metricsContext, metricsText } from "./metrics/metricsText.ts"
export { Distribution, measuredBy, type Value } from "./metrics/Series.ts"
export { type FamilySnapshot, type Measured, type Sample, snapshotsOf } from "./metrics/snapshot.ts"
export { textOf as familiesText } from "./metrics/text.ts"
