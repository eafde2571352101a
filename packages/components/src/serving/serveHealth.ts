import * as Effect from "effect/Effect"
import { type HealthCheck, healthServer } from "./HealthServer.ts"

export interface ServingFlags {
  readonly "bind-address": string
  readonly "secure-port": number
}

/** Serves health and metrics of a component where its flags say. */
export const serveHealth = (flags: ServingFlags, checks: () => ReadonlyArray<HealthCheck>, collect?: () => string) =>
  flags["secure-port"] === 0
    ? Effect.void
    : healthServer({
        host: flags["bind-address"],
        port: flags["secure-port"],
        checks,
        ...(collect === undefined ? {} : { collect })
      }).pipe(
        Effect.tap((port) =>
          Effect.logInfo("Serving /healthz and /metrics").pipe(
            Effect.annotateLogs({ address: `http://${flags["bind-address"]}:${port}` })
          )
        ),
        Effect.asVoid
      )
