export { Call, Timer, TimerHeap } from "./TimerHeap.ts"
export { Timers, type TimersShape } from "./Timers.ts"
export { makeVirtualTime, type VirtualServices, type VirtualTime } from "./VirtualTime.ts"
export { layerWallClock } from "./WallClock.ts"
