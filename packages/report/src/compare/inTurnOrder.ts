import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/**
 * Runs an effect for each item, `concurrency` at a time. Fails as running them one by one does: with the failure of the
 * first item that fails. After a failure no other item is started.
 */
export const inTurnOrder = <A, B, E, R>(
  items: ReadonlyArray<A>,
  concurrency: number,
  run: (item: A) => Effect.Effect<B, E, R>
): Effect.Effect<Array<B>, E, R> =>
  Effect.suspend(() => {
    let hasFailed = false
    const runUnlessFailed = (item: A): Effect.Effect<Exit.Exit<B, E> | undefined, never, R> =>
      Effect.suspend(() =>
        hasFailed
          ? Effect.undefined
          : Effect.map(Effect.exit(run(item)), (exit) => {
              hasFailed ||= Exit.isFailure(exit)
              return exit
            })
      )
    return Effect.forEach(items, runUnlessFailed, { concurrency }).pipe(
      Effect.flatMap((exits) =>
        Effect.forEach(
          exits.filter((exit) => exit !== undefined),
          (exit) => exit
        )
      )
    )
  })
