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
export { errorText, type HandleError, loggedErrors, rethrowErrors } from "./handledErrors.ts"
export { Call, Timer, TimerHeap } from "./TimerHeap.ts"
export { Timers, type TimersShape } from "./Timers.ts"
export { VirtualClock } from "./VirtualClock.ts"
export { makeVirtualTime, type VirtualServices, type VirtualTime, type VirtualTimeOptions } from "./VirtualTime.ts"
export { layerWallClock } from "./WallClock.ts"
