import { type HealthChecks, healthServer, ping } from "@rollcall/components/live"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { MetricsAddress } from "./settings.ts"

export interface ReadinessShape {
  /** Sets the reason why the daemon is not ready; undefined: it is ready. */
  readonly setNotReadyReason: (reason: string | undefined) => void
}

/** The readiness of the daemon, served at its metrics address. */
export class Readiness extends Context.Service<Readiness, ReadinessShape>()("@rollcall/server/Readiness") {
  /** Serves /livez, /readyz and /metrics, from before the cluster starts until after it has stopped. Without an address, serves nothing. */
  static readonly layer = (address: MetricsAddress | undefined) =>
    Layer.effect(
      Readiness,
      Effect.gen(function* () {
        let notReadyReason: string | undefined = "the cluster has not started"
        const checks: HealthChecks = (endpoint) =>
          endpoint === "readyz" ? [ping, ["cluster", () => notReadyReason]] : [ping]
        if (address !== undefined) {
          const flags = { host: "metricsAddress", port: "metricsAddress" }
          const port = yield* healthServer({ ...address, flags, checks })
          yield* Effect.logInfo("Serving /livez, /readyz and /metrics").pipe(
            Effect.annotateLogs({ address: `http://${address.host}:${port}` })
          )
        }
        return {
          setNotReadyReason: (reason) => {
            notReadyReason = reason
          }
        }
      })
    )
}
