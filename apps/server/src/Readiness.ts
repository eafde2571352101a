import { type HealthChecks, healthServer, ping } from "@rollcall/components/live"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { MetricsAddress } from "./settings.ts"

export interface ReadinessShape {
  /** Sets the reason why the daemon is not ready, or undefined when it is ready. */
  readonly setNotReadyReason: (reason: string | undefined) => void
}

/** The readiness of the daemon, served at its metrics address. */
export class Readiness extends Context.Service<Readiness, ReadinessShape>()("@rollcall/server/Readiness") {
  /**
   * Serves /livez, /readyz and /metrics at an address for the lifetime of the layer's scope. Without an address the layer only keeps the
   * reason, and opens no port.
   */
  static readonly layer = (address: MetricsAddress | undefined) =>
    Layer.effect(
      Readiness,
      Effect.gen(function* () {
        let notReadyReason: string | undefined = "the cluster has not started"
        const clusterCheck = { name: "cluster", problem: () => notReadyReason }
        const checks: HealthChecks = (endpoint) => (endpoint === "readyz" ? [ping, clusterCheck] : [ping])
        if (address !== undefined) {
          // An error about the host or the port names this setting, which holds both.
          const flagNames = { host: "metricsAddress", port: "metricsAddress" }
          const port = yield* healthServer({ ...address, flagNames, checks })
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
