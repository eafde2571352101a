import { recovering, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Backoff, type BackoffOptions } from "./internal/Backoff.ts"

/** The back-off between restarts of a controller that ended with an error. */
const restartBackoff: BackoffOptions = { initialMs: 1000, maxMs: 60_000, resetMs: 300_000, jitter: 0 }

/**
 * Forks a controller into the scope. If it fails or dies, which workers and passes that contain their errors do not,
 * the error is handed to `handleError` and the controller restarts after 1 s doubling to a minute, each time in a new
 * scope. If it succeeds, it does not restart.
 */
export const forkController =
  (controller: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<void, never, Exclude<R, Scope.Scope> | Timers | Scope.Scope> =>
    Effect.flatMap(Timers, (timers) => {
      const backoff = new Backoff(restartBackoff, () => 0)
      const run: Effect.Effect<void, never, Exclude<R, Scope.Scope>> = recovering(
        Effect.asVoid(Effect.scoped(work)),
        (error) => {
          timers.handleError("controller", error, { controller })
          return Effect.andThen(
            Effect.sleep(backoff.nextMs(timers.now())),
            Effect.suspend(() => run)
          )
        }
      )
      return Effect.asVoid(Effect.forkScoped(run))
    })
