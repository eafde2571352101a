import type { InvalidInput } from "@rollcall/input"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Plan } from "./input/Plan.ts"
import type { ScenarioResult } from "./Result.ts"
import { type SimulateOptions, simulate } from "./Simulation.ts"

/** Runs a plan from start to end without a pause. Fails if the API refuses an object of the plan. */
export const rehearse = (plan: Plan, options?: SimulateOptions): Effect.Effect<ScenarioResult, InvalidInput> =>
  Effect.scoped(
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const started = clock.monotonicTimeNanosUnsafe()
      const simulation = yield* simulate(plan, options)
      simulation.runWhile(() => true)
      return simulation.result(Number(clock.monotonicTimeNanosUnsafe() - started) / 1e9)
    })
  )
