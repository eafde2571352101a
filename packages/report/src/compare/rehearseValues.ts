import type { ScenarioResult } from "@rollcall/simulator/result"
import * as Effect from "effect/Effect"
import { inTurnOrder } from "./inTurnOrder.ts"

/** The result of one rehearsal of a comparison, and the description of its scenario. */
export interface ComparedRun {
  readonly description: string
  readonly result: ScenarioResult
}

/** How often each value is rehearsed. */
export interface RehearsalSeeds {
  /** The first seed; undefined selects the scenario's own. */
  readonly seed: number | undefined
  /** The number of seeds: the first one, and the next integers. */
  readonly seeds: number
  /** The number of rehearsals at a time, 1 by default. The result is the same. */
  readonly concurrency?: number
}

/**
 * Rehearses a scenario with each value of a setting and with each seed: all values with the first seed, then with the
 * others. Returns the input of `compareSettings`.
 */
export const rehearseValues = Effect.fnUntraced(function* <E, R>(
  values: ReadonlyArray<string>,
  { concurrency = 1, seed, seeds }: RehearsalSeeds,
  rehearse: (value: string, seed: number | undefined) => Effect.Effect<ComparedRun, E, R>
) {
  const firsts = yield* inTurnOrder(values, concurrency, (value) => rehearse(value, seed))
  const jobs = firsts.flatMap(({ result }, at) =>
    Array.from({ length: seeds - 1 }, (_, index) => ({ value: values[at] ?? "", seed: result.spec.seed + index + 1 }))
  )
  const others = yield* inTurnOrder(jobs, concurrency, (job) => rehearse(job.value, job.seed))
  const runs = firsts.map(({ result }, at) => ({
    value: values[at] ?? "",
    results: [result, ...others.slice(at * (seeds - 1), (at + 1) * (seeds - 1)).map((other) => other.result)]
  }))
  return { description: firsts[0]?.description ?? "", runs }
})
