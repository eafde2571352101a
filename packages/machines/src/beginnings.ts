import type { Kubelet } from "@rollcall/kubelet"
import type { InitialHealth } from "./InitialHealth.ts"

type Inputs = Pick<Kubelet, "setPressure" | "setNetworkUnavailable" | "setRuntimeDown">

const setUnwell = (kubelet: Inputs, health: InitialHealth, isUnwell: boolean): void => {
  for (const pressure of health.pressures) kubelet.setPressure(pressure, isUnwell)
  if (health.networkUnavailable) kubelet.setNetworkUnavailable(isUnwell)
  if (health.isNotReady) kubelet.setRuntimeDown(isUnwell)
}

/** Lets a kubelet begin as its node was when its cluster was read; undefined: well. */
export const startUnwell = (kubelet: Kubelet, health: InitialHealth | undefined): void => {
  if (health !== undefined) setUnwell(kubelet, health, true)
  if (health?.isSilent === true) kubelet.crash()
  else kubelet.startKubelet()
}

/** A machine that is started anew is well, however it began. */
export const bootWell = (kubelet: Kubelet, health: InitialHealth | undefined): void => {
  if (health !== undefined) setUnwell(kubelet, health, false)
  kubelet.boot()
}
