import { makePreparing } from "../dra/makePreparing.ts"
import type { Env } from "../internal/Env.ts"
import type { Kubelet, KubeletOptions } from "../Kubelet.ts"
import { MountingRuntime } from "../references/MountingRuntime.ts"
import { HandlerRuntime } from "./HandlerRuntime.ts"
import { HangingRuntime } from "./HangingRuntime.ts"
import { makeModelledPodRuntime } from "./ModelledPodRuntime.ts"

type Owner = ConstructorParameters<typeof HangingRuntime>[2] & {
  /** Whether the kubelet's process runs. */
  readonly running: boolean
  readonly devicesChanged: () => void
}

export interface KubeletRuntime {
  /** The runtime that the kubelet is given, behind what prepares devices and volumes, and may hang. */
  readonly runtime: HangingRuntime
  readonly claimsOf: Kubelet["claimsOf"]
}

/** Returns the runtime of a kubelet, and what it has prepared. */
export const kubeletRuntime = (env: Env, options: KubeletOptions, owner: Owner): KubeletRuntime => {
  const { timers } = env
  const isRunning = () => owner.running
  const responds = () => owner.running && !runtime.isHanging
  const handled = new HandlerRuntime(options.runtime ?? makeModelledPodRuntime(timers), env, responds)
  const preparing = makePreparing(env, handled, options, { isRunning, devicesChanged: () => owner.devicesChanged() })
  const mounting = new MountingRuntime(preparing, () => ({
    timers,
    reader: env.references,
    random: () => env.random.next(),
    isRunning: responds
  }))
  const runtime = new HangingRuntime(timers, mounting, owner)
  return { runtime, claimsOf: (...container) => preparing.claimsOf(...container) }
}
