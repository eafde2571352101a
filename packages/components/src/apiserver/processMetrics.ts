import type { ProcessMetrics } from "@rollcall/api-server/http"
import { loggedErrors, snapshotsOf } from "@rollcall/time"
import * as Effect from "effect/Effect"

/**
 * The metrics of this process other than requests, for the API server's `/metrics`: handled errors and, in `up`, where one process runs
 * all components, the metrics of controllers and scheduler. Gauges that cannot be updated keep their values.
 */
export const processMetrics = Effect.fnUntraced(function* (
  collect: () => void = () => undefined
): Effect.fn.Return<ProcessMetrics> {
  const context = yield* Effect.context<never>()
  const handleError = yield* loggedErrors
  return () => {
    try {
      collect()
    } catch (error) {
      handleError("metrics", error)
    }
    return snapshotsOf(context)
  }
})
