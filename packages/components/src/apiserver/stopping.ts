import { type HealthCheck, inRealTime } from "@rollcall/api-server/http"
import * as Effect from "effect/Effect"

/** Whether a server is about to stop. */
export interface Stopping {
  isBegun: boolean
}

/** The server is not ready once its stop has begun. */
export const shutdownCheck = (stopping: Stopping): HealthCheck => ({
  name: "shutdown",
  endpoints: ["readyz"],
  check: () => !stopping.isBegun
})

/** Begins the stop. */
export const begun = (stopping: Stopping) =>
  Effect.sync(() => {
    stopping.isBegun = true
  })

/** Goes on to serve for a while in real time, so that load balancers see that the server is not ready. */
export const delayed = (stopping: Stopping, delayMs: number) =>
  Effect.andThen(begun(stopping), delayMs > 0 ? inRealTime(Effect.sleep(delayMs)) : Effect.void)
