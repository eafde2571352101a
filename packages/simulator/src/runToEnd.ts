import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Simulation } from "./Simulation.ts"

/** Milliseconds of wall time. */
const SLICE_MS = 100

/**
 * Runs a simulation to its end in slices of wall time (`sliceMs` milliseconds of Effect's Clock), and runs `between` after each slice,
 * for example to show progress and to write the trace. If `between` fails, the run stops with its error.
 */
export const runToEnd = Effect.fnUntraced(function* <E, R>(
  simulation: Pick<Simulation, "isOver" | "runWhile">,
  between: Effect.Effect<void, E, R>,
  sliceMs = SLICE_MS
) {
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  while (!simulation.isOver()) {
    const until = now() + sliceMs
    simulation.runWhile(() => now() < until)
    yield* between
    yield* Effect.yieldNow
  }
})
