import type { ProcessMetrics } from "@rollcall/api-server/http"
import { loggedErrors } from "@rollcall/time"
import * as Effect from "effect/Effect"

/**
 * What this process counts besides requests, for the API server's `/metrics`: handled errors, and in `up`, where one process is
 * all components, what controllers and scheduler count. Gauges that cannot be brought up to date stay as they are.
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
    return context
  }
})
