import { invalid, type ListenFlagNames } from "@rollcall/input"
import type { HealthChecks } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { type HealthServerOptions, healthServer, type Pages } from "./HealthServer.ts"
import type { SecureServing } from "./secure/secureServing.ts"

export interface ServingFlags {
  readonly "bind-address": string
  readonly "secure-port": number
}

const defaultFlagNames: ListenFlagNames = { port: "--secure-port", host: "--bind-address" }
const MAX_PORT = 65_535

interface ServeHealthOptions {
  readonly collect?: NonNullable<HealthServerOptions["collect"]>
  readonly pages?: Pages
  /** The names of the flags that set the address, if they are not --bind-address and --secure-port. */
  readonly flagNames?: ListenFlagNames
  readonly metrics?: NonNullable<HealthServerOptions["metrics"]>
  /** Serves over TLS, to callers that may read a page. */
  readonly secure?: SecureServing
}

/** Serves health, metrics and pages of a component at the address of its flags; does nothing if the port is 0. */
export const serveHealth = Effect.fnUntraced(function* (
  { "bind-address": host, "secure-port": port }: ServingFlags,
  checks: HealthChecks,
  { flagNames = defaultFlagNames, ...options }: ServeHealthOptions = {}
) {
  if (port < 0 || port > MAX_PORT) {
    return yield* invalid("command line", flagNames.port, `found ${port}, expected 0 to ${MAX_PORT}`)
  }
  if (port === 0) return
  const listening = yield* healthServer({ host, port, flagNames, checks, ...options })
  const scheme = options.secure === undefined ? "http" : "https"
  yield* Effect.logInfo("Serving /healthz and /metrics").pipe(
    Effect.annotateLogs({ address: `${scheme}://${host.includes(":") ? `[${host}]` : host}:${listening}` })
  )
})
