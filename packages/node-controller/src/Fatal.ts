import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * Reports that a controller cannot start, and why: the process then exits, as kube-controller-manager does. By default
 * the error is only logged.
 */
export const Fatal = Context.Reference<(controller: string, message: string) => Effect.Effect<void>>(
  "@rollcall/node-controller/Fatal",
  {
    defaultValue: () => (controller, message) =>
      Effect.logError("Error starting a controller").pipe(Effect.annotateLogs({ controller, error: message }))
  }
)
