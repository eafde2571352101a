import type { PersistentVolumeClaim } from "@rollcall/api"
import type { Timer } from "@rollcall/time"
import { errorMessage } from "../BindingFailure.ts"
import type { BindingTask } from "../BindingPlugin.ts"
import { claimWatchKey, nodeWatchKey, volumeWatchKey } from "../cache/Watches.ts"
import type { BindingState } from "./checkBindings.ts"
import type { VolumePlan } from "./VolumePromises.ts"

/** How often kube-scheduler looks whether the claims are bound. */
const LOOK_MS = 1000

/** All that the state of a plan depends on, with the volumes that its claims have come to name. */
const watchedBy = ({ bindings, provisions }: VolumePlan, { cache, node }: BindingTask): ReadonlySet<string> => {
  const ofClaim = ({ metadata: { name = "", namespace = "" } }: PersistentVolumeClaim) => {
    const volumeName = cache.volumes.claim(namespace, name)?.spec?.volumeName ?? ""
    return [claimWatchKey(namespace, name), ...(volumeName === "" ? [] : [volumeWatchKey(volumeName)])]
  }
  return new Set([
    nodeWatchKey(node),
    ...bindings.flatMap(({ claim, volume }) => [volumeWatchKey(volume.metadata.name ?? ""), ...ofClaim(claim)]),
    ...provisions.flatMap(ofClaim)
  ])
}

/**
 * Waits until a plan has come true, or cannot any more, or the time is over. As if it looked once a second from now on; it looks at those
 * of these times before which something has changed. Returns what ends the wait.
 */
export const whenSettled = (
  plan: VolumePlan,
  task: BindingTask,
  timeoutMs: number,
  state: () => BindingState,
  end: (problem?: string) => void
): (() => void) => {
  const { cache, timers } = task
  const start = timers.now()
  const deadline = start + timeoutMs
  const watched = new Map<string, () => void>()
  let planned = Number.POSITIVE_INFINITY
  let timer: Timer | undefined
  const lookAt = (time: number): void => {
    const at = Math.min(time, deadline)
    if (timer !== undefined && planned <= at) return
    if (timer !== undefined) timers.cancel(timer)
    planned = at
    timer = timers.at(at, safeLook)
  }
  const wake = () => lookAt(start + Math.max(1, Math.ceil((timers.now() - start) / LOOK_MS)) * LOOK_MS)
  const safeLook = (): void => {
    try {
      look()
    } catch (error) {
      timers.handleError("scheduler plugin", error, { plugin: "VolumeBinding", pod: task.pod.key })
      end(`binding volumes: ${errorMessage(error)}`)
    }
  }
  const look = (): void => {
    timer = undefined
    const now = state()
    if (now === "bound") {
      end()
      return
    }
    if (now !== "waiting") {
      end(`binding volumes: ${now.problem}`)
      return
    }
    if (timers.now() >= deadline) {
      end("binding volumes: context deadline exceeded")
      return
    }
    for (const key of watchedBy(plan, task)) if (!watched.has(key)) watched.set(key, cache.watches.add(key, wake))
    lookAt(deadline)
  }
  lookAt(start + LOOK_MS)
  return () => {
    if (timer !== undefined) timers.cancel(timer)
    for (const stop of watched.values()) stop()
  }
}
