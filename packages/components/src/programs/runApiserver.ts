import { isIP } from "node:net"
import { join } from "node:path"
import type { Release } from "@rollcall/api"
import { defaultInFlightLimits } from "@rollcall/api-server/http"
import type { AuthorizationMode } from "@rollcall/api-server/security"
import { writeKubeconfig } from "@rollcall/kube-client"
import { didYouMean, invalid } from "@rollcall/simulator/input"
import * as Effect from "effect/Effect"
import { apiServerProcess, type ServerSettings } from "../apiserver/ApiServerProcess.ts"
import { dataFolder } from "../apiserver/dataFolder.ts"
import { returnMemory } from "../apiserver/returnMemory.ts"
import { readTokens } from "../apiserver/tokenFile.ts"
import type { FlagValues } from "../flags/Flag.ts"
import type { apiserverProgram, serverFlags } from "./apiserver.ts"
import { releaseOf } from "./release.ts"

const modes: ReadonlyArray<AuthorizationMode> = ["Node", "RBAC", "AlwaysAllow"]

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))

/** Server settings from flags that `apiserver` and `up` share. */
export const serverSettings = Effect.fnUntraced(function* (
  values: FlagValues<typeof serverFlags>,
  port: number,
  release: Release
) {
  const host = values["bind-address"]
  if (port < 0 || port > 65_535)
    return yield* invalid("command line", "--secure-port", `found ${port}, expected 0 to 65535`)
  const chosen: Array<AuthorizationMode> = []
  for (const name of values["authorization-mode"].length === 0 ? ["Node", "RBAC"] : values["authorization-mode"]) {
    const mode = modes.find((known) => known === name)
    if (mode === undefined) {
      const message = `found ${JSON.stringify(name)}, expected ${modes.join(", ")}${didYouMean(name, modes)}`
      return yield* invalid("command line", "--authorization-mode", message)
    }
    chosen.push(mode)
  }
  if (chosen.includes("AlwaysAllow") && !isLoopback(host)) {
    const message = `AlwaysAllow lets everybody do everything, and ${host} can be reached from other machines`
    return yield* invalid("command line", "--authorization-mode", message)
  }
  const settings: ServerSettings = {
    release,
    folder: yield* dataFolder(values["data-dir"]),
    host,
    port,
    names: values["tls-san"],
    eventTtlMs: values["event-ttl"],
    inFlight: {
      ...defaultInFlightLimits,
      readonly: values["max-requests-inflight"],
      mutating: values["max-mutating-requests-inflight"]
    },
    security: {
      release,
      modes: chosen,
      anonymous: values["anonymous-auth"] && !chosen.includes("AlwaysAllow"),
      tokens: yield* readTokens(values["token-auth-file"]),
      notReadySeconds: values["default-not-ready-toleration-seconds"],
      unreachableSeconds: values["default-unreachable-toleration-seconds"]
    }
  }
  return settings
})

/** kube-apiserver, until it is interrupted. */
export const runApiserver = Effect.fnUntraced(function* (values: FlagValues<typeof apiserverProgram.flags>) {
  const release = yield* Effect.fromResult(releaseOf(values.release))
  const settings = yield* serverSettings(values, values["secure-port"], release)
  const { kubeconfig, kubeconfigFile, url } = yield* apiServerProcess(settings)
  yield* returnMemory
  if (values["kubeconfig-out"] !== "") yield* writeKubeconfig(values["kubeconfig-out"], kubeconfig)
  yield* Effect.logInfo("Serving the Kubernetes API").pipe(
    Effect.annotateLogs({
      address: url,
      kubeconfig: values["kubeconfig-out"] || kubeconfigFile,
      data: join(settings.folder)
    })
  )
  return yield* Effect.never
})
