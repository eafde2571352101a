import type { Env } from "../internal/Env.ts"
import type { KubeletOptions } from "../Kubelet.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import type { ClaimManagerParts } from "./ClaimManager.ts"
import { modelledDrivers } from "./modelledDrivers.ts"
import { PreparingRuntime } from "./PreparingRuntime.ts"

/** Makes a runtime around another one in which the claims of pods are prepared. */
export const makePreparing = (
  env: Env,
  runtime: PodRuntime,
  { connection, deviceDrivers: drivers = modelledDrivers(), name: node }: KubeletOptions,
  state: Pick<ClaimManagerParts, "devicesChanged" | "isRunning">
): PreparingRuntime => {
  const { config, log, timers } = env
  const parts = (): ClaimManagerParts => ({
    ...state,
    node,
    connection,
    timers,
    log,
    drivers,
    random: () => env.random.next(),
    showsMessages: config.featureGates.ResourceHealthStatusMessage
  })
  const reportsHealth = config.featureGates.ResourceHealthStatus && drivers.watchHealth !== undefined
  return new PreparingRuntime(runtime, parts, reportsHealth)
}
