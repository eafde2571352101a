import type { HandlerOptions } from "@rollcall/api-server/http"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

type Gauge = NonNullable<HandlerOptions["gauges"]>[number]

const NAME = "rollcall_handled_errors_total"

/** What `handleError` has counted, for `/metrics`. */
export const handledErrors: Effect.Effect<Gauge> = Effect.map(Effect.context<never>(), (context) => ({
  name: NAME,
  type: "counter",
  help: "Errors that were thrown where none is expected, and that ended no more than what they were thrown in.",
  values: () =>
    Metric.snapshotUnsafe(context).flatMap(({ attributes, id, state }): ReadonlyArray<readonly [string, number]> => {
      if (id !== NAME || !("count" in state)) return []
      return [[`source=${JSON.stringify(attributes?.source ?? "")}`, Number(state.count)]]
    })
}))
