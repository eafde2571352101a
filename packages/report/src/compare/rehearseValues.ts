import type { ScenarioResult } from "@rollcall/simulator/result"
import * as Effect from "effect/Effect"

/** The result of one rehearsal of a comparison, and the description of its scenario. */
export interface ComparedRun {
  readonly description: string
  readonly result: ScenarioResult
}

/**
 * Rehearses a scenario with each value of a setting, `seeds` times for each. The first seed is `seed`, or the scenario's own if that is
 * undefined; the others are the next integers. Returns the input of `compareSettings`.
 */
export const rehearseValues = Effect.fnUntraced(function* <E, R>(
  values: ReadonlyArray<string>,
  { seed, seeds }: { readonly seed: number | undefined; readonly seeds: number },
  rehearse: (value: string, seed: number | undefined) => Effect.Effect<ComparedRun, E, R>
) {
  let description = ""
  const runs = yield* Effect.forEach(
    values,
    Effect.fnUntraced(function* (value) {
      const first = yield* rehearse(value, seed)
      description ||= first.description
      const others = Array.from({ length: seeds - 1 }, (_, index) => first.result.spec.seed + index + 1)
      const rest = yield* Effect.forEach(others, (other) => rehearse(value, other))
      return { value, results: [first, ...rest].map(({ result }) => result) }
    })
  )
  return { description, runs }
})
