import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { HandleError } from "./handledErrors.ts"
import type { TimersShape } from "./Timers.ts"

type Fields = Readonly<Record<string, unknown>>

/** A holder of an error handler, such as `Timers`. */
export interface ErrorHandling {
  readonly handleError: HandleError
}

/**
 * Continues with `otherwise` if the effect fails or dies; it receives the failure or the defect. An interruption is passed
 * on. Upstream: apimachinery/pkg/util/runtime, HandleCrash.
 */
export const recovering = <A, E, R, B, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  otherwise: (error: unknown) => Effect.Effect<B, E2, R2>
): Effect.Effect<A | B, E2, R | R2> =>
  Effect.catchCause(effect, (cause) =>
    Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause as Cause.Cause<never>) : otherwise(Cause.squash(cause))
  )

/**
 * Hands a failure or defect of the effect to `handleError` instead of to its caller: the effect then succeeds with
 * undefined. `source` and `fields` are those of `HandleError`.
 */
export const contained = <A, E, R>(
  { handleError }: ErrorHandling,
  source: string,
  effect: Effect.Effect<A, E, R>,
  fields?: Fields
): Effect.Effect<A | undefined, never, R> =>
  recovering(effect, (error) =>
    Effect.sync(() => {
      handleError(source, error, fields)
      return undefined
    })
  )

/** Calls a function, and hands an error that it throws to `handleError`. Returns false if it threw. */
export const guarded = ({ handleError }: ErrorHandling, source: string, act: () => void, fields?: Fields): boolean => {
  try {
    act()
    return true
  } catch (error) {
    handleError(source, error, fields)
    return false
  }
}

/**
 * Returns a function that starts effects from plain code. An effect that fails or dies is handed to `handleError`,
 * since no caller waits for it. All of them run in the context of the effect that makes the function.
 */
export const containedRunner = (
  handling: ErrorHandling,
  source: string
): Effect.Effect<<A, E>(effect: Effect.Effect<A, E>) => void> =>
  Effect.map(Effect.context<never>(), (context) => {
    const fork = Effect.runForkWith(context)
    return (effect) => void fork(contained(handling, source, effect))
  })

/**
 * Returns a function that makes an effect which calls `isDone` every `periodMs` until it returns true. The effect uses
 * timers alone, so a call that returns false wakes no fiber.
 */
export const pollWith =
  ({ after, cancel }: Pick<TimersShape, "after" | "cancel">) =>
  (isDone: () => boolean, periodMs: number): Effect.Effect<void> =>
    Effect.callback((resume) => {
      const check = () => {
        try {
          if (isDone()) resume(Effect.void)
          else timer = after(periodMs, check)
        } catch (error) {
          // The effect dies: its caller waits for nothing else, so it is the one to learn of the error.
          resume(Effect.die(error))
        }
      }
      let timer = after(periodMs, check)
      return Effect.sync(() => cancel(timer))
    })

/**
 * Runs `pass` for ever, with `periodMs` between the end of one and the start of the next. A pass that fails is handed
 * to `handleError`, and the next one still runs. Upstream: apimachinery/pkg/util/wait, UntilWithContext.
 */
export const repeatPasses = <A, E, R>(
  timers: ErrorHandling,
  source: string,
  pass: Effect.Effect<A, E, R>,
  periodMs: number
): Effect.Effect<never, never, R> =>
  contained(timers, source, pass).pipe(Effect.andThen(Effect.sleep(periodMs)), Effect.forever)
