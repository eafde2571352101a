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
export { FNV_OFFSET, FNV_PRIME, fnv1a } from "./fnv1a.ts"
export { errorText, type HandleError, loggedErrors, rethrowErrors } from "./handledErrors.ts"
export { metricsContext, metricsText } from "./metricsText.ts"
export { draw, Mulberry32, nextRng, nextState, type Rng, type RngState, rngFor, rngOf } from "./random.ts"
export { Call, Timer, TimerHeap } from "./TimerHeap.ts"
export { Timers, type TimersShape } from "./Timers.ts"
export { toWord, uuidV4 } from "./uuid.ts"
export { VirtualClock } from "./VirtualClock.ts"
export { makeVirtualTime, type VirtualServices, type VirtualTime, type VirtualTimeOptions } from "./VirtualTime.ts"
export { layerWallClock } from "./WallClock.ts"
