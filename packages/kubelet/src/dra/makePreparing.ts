import type { Env } from "../internal/Env.ts"
import type { KubeletOptions } from "../Kubelet.ts"
import { makeModelledPodRuntime } from "../runtime/ModelledPodRuntime.ts"
import type { ClaimManagerParts } from "./ClaimManager.ts"
import { modelledDrivers } from "./modelledDrivers.ts"
import { PreparingRuntime } from "./PreparingRuntime.ts"

/** Makes the runtime of a kubelet in which the claims of pods are prepared. */
export const makePreparing = (
  env: Env,
  { connection, deviceDrivers: drivers = modelledDrivers(), name: node, runtime }: KubeletOptions,
  state: Pick<ClaimManagerParts, "devicesChanged" | "isRunning">
): PreparingRuntime => {
  const { config, timers } = env
  const parts = (): ClaimManagerParts => ({
    ...state,
    node,
    connection,
    timers,
    drivers,
    random: () => env.random.next(),
    showsMessages: config.featureGates.ResourceHealthStatusMessage
  })
  const reportsHealth = config.featureGates.ResourceHealthStatus && drivers.watchHealth !== undefined
  return new PreparingRuntime(runtime ?? makeModelledPodRuntime(timers), parts, reportsHealth)
}
