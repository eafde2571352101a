import { invalid, type ListenFlags } from "@rollcall/input"
import * as Effect from "effect/Effect"
import type { HealthChecks } from "./HealthCheck.ts"
import { type HealthServerOptions, healthServer, type Pages } from "./HealthServer.ts"

export interface ServingFlags {
  readonly "bind-address": string
  readonly "secure-port": number
}

const servingNames: ListenFlags = { port: "--secure-port", host: "--bind-address" }
const MOST = 65_535

interface Served {
  readonly collect?: NonNullable<HealthServerOptions["collect"]>
  readonly pages?: Pages
  /** The address flags, if they differ from the components' usual ones. */
  readonly named?: ListenFlags
}

/** Serves health, metrics and pages of a component at the address of its flags. */
export const serveHealth = Effect.fnUntraced(function* (
  { "bind-address": host, "secure-port": port }: ServingFlags,
  checks: HealthChecks,
  { named = servingNames, ...served }: Served = {}
) {
  if (port < 0 || port > MOST) {
    return yield* invalid("command line", named.port, `found ${port}, expected 0 to ${MOST}`)
  }
  if (port === 0) return
  const listening = yield* healthServer({ host, port, flags: named, checks, ...served })
  yield* Effect.logInfo("Serving /healthz and /metrics").pipe(
    Effect.annotateLogs({ address: `http://${host.includes(":") ? `[${host}]` : host}:${listening}` })
  )
})
