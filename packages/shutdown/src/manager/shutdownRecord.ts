import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { ShutdownState, ShutdownTimes } from "../ports/ShutdownState.ts"
import { gracefulShutdownEndTime, gracefulShutdownStartTime, unixSeconds } from "./shutdownMetrics.ts"

/** Sets the gauges that have a value. */
const exportTimes = ({ endMs, startMs }: ShutdownTimes) =>
  Effect.andThen(
    startMs === undefined ? Effect.void : Metric.update(gracefulShutdownStartTime, unixSeconds(startMs)),
    endMs === undefined ? Effect.void : Metric.update(gracefulShutdownEndTime, unixSeconds(endMs))
  )

/** Runs `body`, and stores when it started and ended, as the times of a shutdown. A failure to store is only logged. */
export const recordTimes = <A, E, R>(
  state: ShutdownState["Service"],
  body: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const store = (times: ShutdownTimes) =>
      state
        .store(times)
        .pipe(
          Effect.catch(({ message }) =>
            Effect.logError("Failed to store graceful shutdown state").pipe(Effect.annotateLogs({ err: message }))
          )
        )
    const startMs = yield* Clock.currentTimeMillis
    yield* store({ startMs })
    // The end is reset to 0, as upstream does, while a shutdown is in progress.
    yield* exportTimes({ startMs, endMs: 0 })
    const result = yield* body
    const endMs = yield* Clock.currentTimeMillis
    yield* store({ startMs, endMs })
    yield* exportTimes({ endMs })
    return result
  })

/** Sets the gauges from the stored times of the last shutdown. */
export const exportRecord = ({ load }: ShutdownState["Service"]): Effect.Effect<void> =>
  load.pipe(
    Effect.flatMap(exportTimes),
    Effect.catch(({ message }) =>
      Effect.logError("Failed to load graceful shutdown state").pipe(Effect.annotateLogs({ err: message }))
    )
  )
