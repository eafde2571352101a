import { isIP } from "node:net"
import { join } from "node:path"
import type { Release } from "@rollcall/api"
import { parseCIDR } from "@rollcall/api/validation"
import type { AuthorizationMode } from "@rollcall/api-server/security"
import type { FlagValues } from "@rollcall/flags"
import { defaultInFlightLimits } from "@rollcall/flow-control"
import { didYouMean, invalid } from "@rollcall/input"
import { kubeconfigObstacle, processesOf, writeKubeconfig } from "@rollcall/kube-client"
import { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ServerProcess, type ServerSettings } from "../apiserver/ApiServerProcess.ts"
import { dataFolder } from "../apiserver/dataFolder.ts"
import { etcdOf } from "../apiserver/etcdFlags.ts"
import { flaggedProxies } from "../apiserver/frontProxies.ts"
import { kubeletClientOf } from "../apiserver/kubelets/kubeletFlags.ts"
import { proxyClientOf } from "../apiserver/proxyClient.ts"
import { returnMemory } from "../apiserver/returnMemory.ts"
import { layerServerStore } from "../apiserver/serverStore.ts"
import { readTokens } from "../apiserver/tokenFile.ts"
import { checkPlugins } from "../flags/admissionPlugins.ts"
import { isAlphaOn } from "../flags/gatesFlag.ts"
import { Host } from "../host/Host.ts"
import { flagTexts } from "../serving/pages.ts"
import { writeClockNote } from "../up/clusterClock.ts"
import { type apiserverProgram, serverFlags } from "./apiserver.ts"
import { releaseOf } from "./release.ts"

const supportedModes: ReadonlyArray<AuthorizationMode> = ["Node", "RBAC", "AlwaysAllow"]

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))

/** Checks for running processes on this machine. */
export const ownProcesses = Effect.map(Host, ({ hostname, processId }) => processesOf(hostname, processId))

/** Fails if the kubeconfig cannot be written to its file, before anything starts. */
const checkKubeconfigOut = Effect.fnUntraced(function* (file: string) {
  if (file === "") return
  const obstacle = yield* kubeconfigObstacle(file, yield* ownProcesses)
  if (obstacle !== undefined) return yield* invalid("command line", "--kubeconfig-out", obstacle.message)
})

/** Accepts only DNS labels: safe in paths, YAML and shells without quoting. */
const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/

const checkName = (name: string) =>
  name === "" || NAME.test(name)
    ? Effect.void
    : Effect.fail(
        invalid(
          "command line",
          "--name",
          `found ${JSON.stringify(name)}, expected at most 63 of a-z, 0-9 and -, such as rollcall-2`
        )
      )

/** Reads the configuration of PodSecurity; undefined without a file. */
const podSecurityOf = Effect.fnUntraced(function* (file: string) {
  if (file === "") return undefined
  const { readAdmissionConfiguration } = yield* Effect.promise(() => import("../apiserver/admissionConfiguration.ts"))
  return yield* readAdmissionConfiguration(file)
})

interface ServerSettingsOptions {
  readonly port: number
  /** The flag that sets `port`, for error messages. */
  readonly portFlag: string
  readonly release: Release
  /** The CIDR of the addresses of Services; the default is that of the API server. */
  readonly serviceRange?: string
}

/** Resolves and checks the server settings from flags that `apiserver` and `up` share, before anything starts. */
export const serverSettings = Effect.fnUntraced(function* (
  values: FlagValues<typeof serverFlags>,
  { port, portFlag, release, serviceRange }: ServerSettingsOptions
) {
  const host = values["bind-address"]
  if (port < 0 || port > 65_535) return yield* invalid("command line", portFlag, `found ${port}, expected 0 to 65535`)
  const authorizationModes: Array<AuthorizationMode> = []
  for (const name of values["authorization-mode"].length === 0 ? ["Node", "RBAC"] : values["authorization-mode"]) {
    const mode = supportedModes.find((known) => known === name)
    if (mode === undefined) {
      const message = `found ${JSON.stringify(name)}, expected ${supportedModes.join(", ")}${didYouMean(name, supportedModes)}`
      return yield* invalid("command line", "--authorization-mode", message)
    }
    authorizationModes.push(mode)
  }
  if (authorizationModes.includes("AlwaysAllow") && !isLoopback(host)) {
    const message = `AlwaysAllow lets everybody do everything, and ${host} can be reached from other machines`
    return yield* invalid("command line", "--authorization-mode", message)
  }
  const enabled = values["enable-admission-plugins"]
  const disabled = values["disable-admission-plugins"]
  const plugins = checkPlugins(enabled, disabled)
  if (plugins.problem !== undefined) {
    return yield* invalid("command line", "--disable-admission-plugins", plugins.problem)
  }
  for (const warning of plugins.warnings) yield* Effect.logWarning(warning)
  const podSecurity = yield* podSecurityOf(values["admission-control-config-file"])
  const proxyClient = yield* proxyClientOf(values)
  const frontProxies = yield* flaggedProxies(values)
  const kubelets = yield* kubeletClientOf(values)
  const etcd = yield* etcdOf(values)
  const reconciler = values["endpoint-reconciler-type"]
  if (reconciler !== "lease" && reconciler !== "none") {
    const message = `found ${JSON.stringify(reconciler)}, expected lease or none`
    return yield* invalid("command line", "--endpoint-reconciler-type", message)
  }
  yield* checkName(values.name)
  yield* checkKubeconfigOut(values["kubeconfig-out"])
  const settings: ServerSettings = {
    release,
    flags: flagTexts(serverFlags, values),
    ...(values.name === "" ? {} : { name: values.name }),
    folder: yield* dataFolder(values["data-dir"]),
    acceptDataLoss: values["accept-data-loss"],
    ...(etcd === undefined ? {} : { etcd }),
    keepsEndpoints: reconciler !== "none",
    host,
    ...(values["advertise-address"] === "" ? {} : { advertiseAddress: values["advertise-address"] }),
    port,
    flagNames: { port: portFlag, host: "--bind-address" },
    names: values["tls-san"],
    eventTtlMs: values["event-ttl"],
    scalesToZero: isAlphaOn(values["feature-gates"], "HPAScaleToZero"),
    inFlight: {
      ...defaultInFlightLimits,
      readonly: values["max-requests-inflight"],
      mutating: values["max-mutating-requests-inflight"]
    },
    priorityAndFairness: values["enable-priority-and-fairness"],
    ...(podSecurity === undefined ? {} : { podSecurity }),
    ...(proxyClient === undefined ? {} : { proxyClient }),
    ...(frontProxies === undefined ? {} : { frontProxies }),
    kubelets,
    security: {
      release,
      modes: authorizationModes,
      anonymous: values["anonymous-auth"] && !authorizationModes.includes("AlwaysAllow"),
      disabled,
      ...(serviceRange === undefined ? {} : { services: { range: serviceRange } }),
      bootstrapTokens: values["enable-bootstrap-token-auth"],
      tokens: yield* readTokens(values["token-auth-file"]),
      notReadySeconds: values["default-not-ready-toleration-seconds"],
      unreachableSeconds: values["default-unreachable-toleration-seconds"]
    }
  }
  return settings
})

const MAX_HOST_BITS = 20
const MIN_HOST_BITS = 3

/**
 * Returns the problem for which kube-apiserver refuses to start. Upstream:
 * cmd/kube-apiserver/app/options/validation.go.
 */
const serviceRangeProblem = (text: string): string | undefined => {
  const range = parseCIDR(text)
  if (range === undefined || range.address.family !== 4) return `found ${JSON.stringify(text)}, expected one IPv4 CIDR`
  const hostBits = 32 - range.length
  if (hostBits > MAX_HOST_BITS) {
    return "specified --service-cluster-ip-range is too large; for 32-bit addresses, the mask must be >= 12"
  }
  return hostBits < MIN_HOST_BITS ? "--service-cluster-ip-range must contain at least 8 IP addresses" : undefined
}

/** Fails for a range that kube-apiserver refuses. */
export const checkServiceRange = Effect.fnUntraced(function* (text: string) {
  const problem = serviceRangeProblem(text)
  if (problem !== undefined) return yield* invalid("command line", "--service-cluster-ip-range", problem)
})

/** Upstream: `--request-timeout`, which limits how long requests in progress may take when the server stops. */
const REQUEST_TIMEOUT_MS = 60_000

/** Reads how the server stops. Upstream: apiserver/pkg/server/options/server_run_options.go. */
const shutdownOf = Effect.fnUntraced(function* (values: FlagValues<typeof apiserverProgram.flags>) {
  const delayMs = values["shutdown-delay-duration"]
  const watchesMs = values["shutdown-watch-termination-grace-period"]
  if (delayMs < 0) {
    return yield* invalid("command line", "--shutdown-delay-duration", `found ${delayMs / 1000}s, expected 0 or more`)
  }
  if (watchesMs < 0) {
    const flagName = "--shutdown-watch-termination-grace-period"
    return yield* invalid("command line", flagName, `found ${watchesMs / 1000}s, expected 0 or more`)
  }
  const sendRetryAfter = values["shutdown-send-retry-after"]
  return { delayMs, watchesMs, requestsMs: REQUEST_TIMEOUT_MS, sendRetryAfter }
})

/** Runs kube-apiserver until it is interrupted. */
export const runApiserver = Effect.fnUntraced(function* (values: FlagValues<typeof apiserverProgram.flags>) {
  const release = yield* Effect.fromResult(releaseOf(values.release))
  const serviceRange = values["service-cluster-ip-range"]
  yield* checkServiceRange(serviceRange)
  const shutdown = yield* shutdownOf(values)
  const given = yield* serverSettings(values, {
    port: values["secure-port"],
    portFlag: "--secure-port",
    release,
    serviceRange
  })
  const settings = { ...given, shutdown }
  const { wallClockMs } = yield* Host
  const { now } = yield* Timers
  if (values["data-dir"] !== "") {
    yield* writeClockNote(settings.folder, { wallMs: wallClockMs(), clusterMs: now(), speed: 1 })
  }
  const built = yield* Layer.build(ServerProcess.layer(settings).pipe(Layer.provide(layerServerStore(settings))))
  const { kubeconfig, kubeconfigFile, url } = Context.get(built, ServerProcess)
  yield* returnMemory
  if (values["kubeconfig-out"] !== "") yield* writeKubeconfig(values["kubeconfig-out"], kubeconfig, yield* ownProcesses)
  yield* Effect.logInfo("Serving the Kubernetes API").pipe(
    Effect.annotateLogs({
      address: url,
      kubeconfig: values["kubeconfig-out"] || kubeconfigFile,
      data: settings.etcd?.servers.join(",") ?? join(settings.folder)
    })
  )
  return yield* Effect.never
})
