import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * Where a controller says that it cannot begin, and why: the process that it is part of ends then, as kube-controller-manager
 * does. Without such a process the error is logged.
 */
export const Fatal = Context.Reference<(controller: string, message: string) => Effect.Effect<void>>(
  "@rollcall/node-controller/Fatal",
  {
    defaultValue: () => (controller, message) =>
      Effect.logError("Error starting a controller").pipe(Effect.annotateLogs({ controller, error: message }))
  }
)
