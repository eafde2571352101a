import * as Effect from "effect/Effect"
import { type HealthCheck, healthServer, type Pages } from "./HealthServer.ts"

export interface ServingFlags {
  readonly "bind-address": string
  readonly "secure-port": number
}

interface Served {
  /** Called before metrics are read. */
  readonly collect?: () => string
  readonly pages?: Pages
}

/** Serves health, metrics and the like of a component where its flags say. */
export const serveHealth = (flags: ServingFlags, checks: () => ReadonlyArray<HealthCheck>, served: Served = {}) =>
  flags["secure-port"] === 0
    ? Effect.void
    : healthServer({
        host: flags["bind-address"],
        port: flags["secure-port"],
        checks,
        ...served
      }).pipe(
        Effect.tap((port) =>
          Effect.logInfo("Serving /healthz and /metrics").pipe(
            Effect.annotateLogs({ address: `http://${flags["bind-address"]}:${port}` })
          )
        ),
        Effect.asVoid
      )
