import * as Context from "effect/Context"
import type { HandleError } from "./handledErrors.ts"
import type { Timer } from "./TimerHeap.ts"

/**
 * Time for plain code: what a state machine or a wrapper around a connection needs when a fiber would cost too much.
 * Backed by the same heap as Effect's Clock of the same layer, so that both agree on the order of things.
 */
export interface TimersShape {
  /** Milliseconds since the epoch; may have a fraction. */
  readonly now: () => number
  /** Runs the callback once `timeMs` is reached; a time in the past is the next thing to run. */
  readonly at: (timeMs: number, callback: () => void) => Timer
  /** As `at`, `delayMs` from now. */
  readonly after: (delayMs: number, callback: () => void) => Timer
  /** Plans a timer that its owner keeps, at a time as for `at`; one that is planned already is moved. */
  readonly plan: (timer: Timer, timeMs: number) => void
  /** Nothing happens when the timer is not planned. */
  readonly cancel: (timer: Timer) => void
  /** Runs the callback after all that is already due at this instant, before time moves on. */
  readonly soon: (callback: () => void) => void
  /** Where callbacks' errors go: one that throws ends itself only, and all others still run at their time. */
  readonly handleError: HandleError
}

export class Timers extends Context.Service<Timers, TimersShape>()("@rollcall/time/Timers") {}
