import { loggedErrors } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"

/**
 * What this process counts besides requests, for the API server's `/metrics`: handled errors, and in `up`, where one process is
 * all components, what controllers and scheduler count. Metrics that cannot be read are left out.
 */
export const processMetrics = Effect.fnUntraced(function* (collect: () => void = () => undefined) {
  const context = yield* Effect.context<never>()
  const handleError = yield* loggedErrors
  return (): string => {
    try {
      collect()
      return PrometheusMetrics.formatUnsafe(context)
    } catch (error) {
      handleError("metrics", error)
      return ""
    }
  }
})
