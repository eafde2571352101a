import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { HandleError } from "./handledErrors.ts"
import type { TimersShape } from "./Timers.ts"

type Fields = Readonly<Record<string, unknown>>

/** What takes errors: `Timers`, for one. */
export interface ErrorHandling {
  readonly handleError: HandleError
}

/**
 * Runs `otherwise` with the error in the place of an effect that failed or died. An interruption stays one: the caller ends.
 * Upstream: apimachinery/pkg/util/runtime, HandleCrash.
 */
export const recovering = <A, E, R, B, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  otherwise: (error: unknown) => Effect.Effect<B, E2, R2>
): Effect.Effect<A | B, E2, R | R2> =>
  Effect.catchCause(effect, (cause) =>
    Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause as Cause.Cause<never>) : otherwise(Cause.squash(cause))
  )

/** An effect whose failure or defect ends no more than itself: it is handed to `handleError`. */
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

/** As `contained`, for plain code whose caller goes on. False: it threw. */
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
 * Starts effects from plain code: one that fails or dies is handed to `handleError`, as nobody waits for it. Made in an effect whose
 * context all of them run in.
 */
export const containedRunner = (
  handling: ErrorHandling,
  source: string
): Effect.Effect<<A, E>(effect: Effect.Effect<A, E>) => void> =>
  Effect.map(Effect.context<never>(), (context) => {
    const fork = Effect.runForkWith(context)
    return (effect) => void fork(contained(handling, source, effect))
  })

/** Calls `look` each `periodMs` until it answers true, by timers alone: no fiber wakes for one that answers false. */
export const pollWith =
  ({ after, cancel }: Pick<TimersShape, "after" | "cancel">) =>
  (look: () => boolean, periodMs: number): Effect.Effect<void> =>
    Effect.callback((resume) => {
      const turn = () => {
        try {
          if (look()) resume(Effect.void)
          else timer = after(periodMs, turn)
        } catch (error) {
          // The caller hears of it: it waits for nothing else.
          resume(Effect.die(error))
        }
      }
      let timer = after(periodMs, turn)
      return Effect.sync(() => cancel(timer))
    })

/**
 * One pass after another, `periodMs` after the end of each, for ever. A pass that fails is handed to `handleError`, and the next
 * one still comes. Upstream: apimachinery/pkg/util/wait, UntilWithContext.
 */
export const repeatPasses = <A, E, R>(
  timers: ErrorHandling,
  source: string,
  pass: Effect.Effect<A, E, R>,
  periodMs: number
): Effect.Effect<never, never, R> =>
  contained(timers, source, pass).pipe(Effect.andThen(Effect.sleep(periodMs)), Effect.forever)
