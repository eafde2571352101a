import { readFileSync } from "node:fs"
import { componentLog } from "@rollcall/cluster"
import { type InvalidInput, invalid } from "@rollcall/input"
import type { KubeConnection } from "@rollcall/kube-client"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { connectTo, remoteConfig } from "../../clients/remote.ts"
import { Host } from "../../host/Host.ts"
import { Access } from "./Access.ts"
import { publishedClientCa, reviewerOf } from "./reviewer.ts"
import { type CertificateFlags, servingPair } from "./servingPair.ts"

/** The flags of a secure port. Upstream: apiserver/pkg/server/options. */
export interface SecureFlags extends CertificateFlags {
  readonly "authentication-kubeconfig": string
  readonly "authentication-skip-lookup": boolean
  readonly "authentication-token-webhook-cache-ttl": number
  readonly "authorization-always-allow-paths": ReadonlyArray<string>
  readonly "authorization-kubeconfig": string
  readonly "authorization-webhook-cache-authorized-ttl": number
  readonly "authorization-webhook-cache-unauthorized-ttl": number
  readonly "client-ca-file": string
}

/** What a secure port needs: its certificate, the CA of its clients, and what decides about requests. */
export interface SecureServing {
  readonly key: string
  readonly cert: string
  readonly clientCa: () => string | undefined
  readonly access: Access
  /** Called with what uses a new CA. */
  readonly onClientCa: (use: () => void) => void
}

/** How often the published CA is read. Upstream watches its ConfigMap. */
const LOOKUP_EVERY = "1 minute"

/** Makes what a secure port needs from its flags; its connections close with the scope. */
export const secureServing = Effect.fnUntraced(function* (flags: SecureFlags, component: string) {
  const { now } = yield* Timers
  const { wallClockMs } = yield* Host
  const log = yield* componentLog
  const pair = yield* servingPair(flags, component, wallClockMs())
  const connections = new Map<string, KubeConnection>()
  const connectionOf = Effect.fnUntraced(function* (file: string) {
    if (file === "") return undefined
    const known = connections.get(file)
    if (known !== undefined) return known
    const made = yield* connectTo(yield* remoteConfig({ kubeconfig: file, context: "", master: "" }), component)
    connections.set(file, made)
    return made
  })
  const authenticating = yield* connectionOf(flags["authentication-kubeconfig"])
  const authorizing = yield* connectionOf(flags["authorization-kubeconfig"])
  const caFile = flags["client-ca-file"]
  let clientCa = caFile === "" ? undefined : yield* readCa(caFile)
  let useClientCa = () => {}
  const access = new Access({
    alwaysAllowed: flags["authorization-always-allow-paths"],
    tokens: authenticating && reviewerOf(authenticating),
    access: authorizing && reviewerOf(authorizing),
    verifiesCertificates: () => clientCa !== undefined,
    now,
    allowedTtlMs: flags["authorization-webhook-cache-authorized-ttl"],
    deniedTtlMs: flags["authorization-webhook-cache-unauthorized-ttl"],
    tokenTtlMs: flags["authentication-token-webhook-cache-ttl"],
    handleError: (error) => log("error", "Unable to authenticate the request", { error: String(error) })
  })
  if (clientCa === undefined && authenticating !== undefined && !flags["authentication-skip-lookup"]) {
    const lookUp = Effect.tryPromise(() => publishedClientCa(authenticating)).pipe(
      Effect.tap((found) =>
        Effect.sync(() => {
          if (found === undefined || found === clientCa) return
          clientCa = found
          useClientCa()
        })
      ),
      Effect.catch((error) =>
        Effect.sync(() =>
          log("info", "The CA of clients could not be read", {
            configMap: "extension-apiserver-authentication",
            error: String(error.cause)
          })
        )
      )
    )
    yield* lookUp
    yield* lookUp.pipe(Effect.repeat(Schedule.spaced(LOOKUP_EVERY)), Effect.forkScoped)
  }
  const serving: SecureServing = {
    key: pair.keyPem,
    cert: pair.certificatePem,
    clientCa: () => clientCa,
    access,
    onClientCa: (use) => {
      useClientCa = use
    }
  }
  return serving
})

const readCa = (file: string): Effect.Effect<string, InvalidInput> =>
  Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: (error) =>
      invalid("command line", "--client-ca-file", error instanceof Error ? error.message : String(error))
  })
