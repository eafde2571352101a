import * as Context from "effect/Context"
import type { HandleError } from "./handledErrors.ts"
import type { NumberedTimers, Timer } from "./TimerHeap.ts"

/**
 * Timers for plain code: state machines and connection wrappers, where a fiber for each wait would cost too much. They
 * share one heap with the Effect Clock of the same layer, so both fire in one order.
 */
export interface TimersShape {
  /** Milliseconds since the epoch; may have a fraction. */
  readonly now: () => number
  /** Runs the callback at `timeMs`; if that is in the past, as soon as possible. */
  readonly at: (timeMs: number, callback: () => void) => Timer
  /** Runs the callback `delayMs` from now. */
  readonly after: (delayMs: number, callback: () => void) => Timer
  /**
   * Plans a timer that its owner keeps and reuses, at an absolute time as in `at`. A timer that is planned already is
   * moved to the new time.
   */
  readonly plan: (timer: Timer, timeMs: number) => void
  /** Cancels a timer. Does nothing if it is not planned. */
  readonly cancel: (timer: Timer) => void
  /** Runs the callback after everything that is already due at this instant, and before time advances. */
  readonly soon: (callback: () => void) => void
  /**
   * Gives timers that are numbers and no objects to an owner: they fire in the order of all timers. For a few owners of
   * many timers, nearly all of which are planned at most `usualMs` ahead (by default 30 s). Optional: only virtual time has
   * them.
   */
  readonly numbered?: (fire: (number: number, timeMs: number) => void, usualMs?: number) => NumberedTimers
  /**
   * Receives the errors that callbacks throw: a callback that throws ends only itself, and all others still run at
   * their time.
   */
  readonly handleError: HandleError
}

export class Timers extends Context.Service<Timers, TimersShape>()("@rollcall/time/Timers") {}
