import type { ScenarioDocument } from "@rollcall/simulator"
import type { Simulated, SimulateOptions } from "./simulateScenario.ts"

/** Options of a call that may be given up. */
export interface CallOptions {
  /** Ends the call: its promise is rejected. */
  readonly signal?: AbortSignal
}

/**
 * Rehearses a scenario in virtual time: the path of a file, the text of one (any string with a line break), or a value.
 * Rejects with `InvalidInput` if something in it is wrong; a failed expectation is part of the result.
 */
export const simulate = async (
  scenario: string | ScenarioDocument,
  { signal, ...options }: SimulateOptions & CallOptions = {}
): Promise<Simulated> => {
  const { runPromise } = await import("effect/Effect")
  const { simulateScenario } = await import("./simulateScenario.ts")
  return runPromise(simulateScenario(scenario, options), signal === undefined ? {} : { signal })
}
