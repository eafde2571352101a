// The heap of timers, without Effect.

export { Call, Timer, TimerHeap } from "./TimerHeap.ts"
