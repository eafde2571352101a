import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { type Plan, renderTable, simulate } from "../src/index.ts"

export const examples = new URL("../../../examples/", import.meta.url)
export const pageUrl = new URL("../../../docs/incidents.md", import.meta.url)

export const read = (name: string): string => readFileSync(new URL(name, examples), "utf8")

/** Runs an incident to its end: the result, and as a person reads it. */
export const runIncident = (plan: Plan) =>
  Effect.runSync(
    Effect.scoped(
      Effect.gen(function* () {
        const simulation = yield* simulate(plan)
        simulation.runWhile(() => true)
        const result = simulation.result(0)
        return { result, table: renderTable(result, simulation.reportContext) }
      })
    )
  )
