import type { ProcessMetrics } from "@rollcall/api-server/http"
import { loggedErrors } from "@rollcall/time"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"

/**
 * What this process counts besides requests, for the API server's `/metrics`: handled errors, and in `up`, where one process is
 * all components, what controllers and scheduler count. Metrics that cannot be read are left out.
 */
export const processMetrics = Effect.fnUntraced(function* (
  collect: () => void = () => undefined
): Effect.fn.Return<ProcessMetrics> {
  const context = yield* Effect.context<never>()
  const handleError = yield* loggedErrors
  const lines = Effect.promise(() => {
    collect()
    // Not before it is asked for: all of Effect's HTTP server comes with it.
    return import("effect/observability/PrometheusMetrics")
  }).pipe(
    Effect.map(({ formatUnsafe }) => formatUnsafe(context)),
    Effect.catchCause((cause) => {
      handleError("metrics", Cause.squash(cause))
      return Effect.succeed("")
    })
  )
  return (reply) => void Effect.runFork(Effect.map(lines, reply))
})
