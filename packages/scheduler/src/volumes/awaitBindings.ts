import type { PersistentVolumeClaim } from "@rollcall/api"
import type { Timer } from "@rollcall/time"
import { errorMessage } from "../BindingFailure.ts"
import type { BindingTask } from "../BindingPlugin.ts"
import { claimWatchKey, nodeWatchKey, volumeWatchKey } from "../cache/Watches.ts"
import type { VolumePlan } from "./AssumedVolumes.ts"
import type { BindingState } from "./checkBindings.ts"

/** How often kube-scheduler checks whether the claims are bound. */
const LOOK_MS = 1000

/**
 * The keys of all objects that the state of a plan depends on, including the volumes that its claims are bound to
 * meanwhile.
 */
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
 * Waits until a plan has succeeded, has failed, or the timeout has passed. As if it checked once a second from now on;
 * it only checks at those times before which something has changed. Returns a function that cancels the wait.
 */
export const awaitBindings = (
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
