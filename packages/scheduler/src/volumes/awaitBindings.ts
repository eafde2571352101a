import type { PersistentVolumeClaim } from "@rollcall/api"
import type { Timer } from "@rollcall/time"
import { errorMessage } from "../BindingFailure.ts"
import type { BindingTask } from "../BindingPlugin.ts"
import { claimWatchKey, nodeWatchKey, volumeWatchKey } from "../cache/Watches.ts"
import type { VolumePlan } from "./AssumedVolumes.ts"
import type { BindingState } from "./checkBindings.ts"

/** How often kube-scheduler checks whether the claims are bound. Upstream: binder.go BindPodVolumes. */
const CHECK_INTERVAL_MS = 1000

/**
 * The watch keys of all objects that the state of a plan depends on, including the volumes that its claims have been
 * bound to in the meantime.
 */
const watchKeysOf = ({ bindings, provisions }: VolumePlan, { cache, node }: BindingTask): ReadonlySet<string> => {
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
 * Waits until a plan has succeeded, has failed, or the timeout has passed, then calls `onEnd`: without an argument, or
 * with the problem. The end is at the same time as if `getState` were called once a second from now on, as
 * kube-scheduler does; it is only called at those of these times before which a watched object has changed. Returns a
 * function that cancels the wait.
 */
export const awaitBindings = (
  plan: VolumePlan,
  task: BindingTask,
  timeoutMs: number,
  getState: () => BindingState,
  onEnd: (problem?: string) => void
): (() => void) => {
  const { cache, timers } = task
  const start = timers.now()
  const deadline = start + timeoutMs
  const unwatchByKey = new Map<string, () => void>()
  let timerAt = Number.POSITIVE_INFINITY
  let timer: Timer | undefined
  const checkAt = (time: number): void => {
    const at = Math.min(time, deadline)
    if (timer !== undefined && timerAt <= at) return
    if (timer !== undefined) timers.cancel(timer)
    timerAt = at
    timer = timers.at(at, checkSafely)
  }
  const checkAtNextSecond = () =>
    checkAt(start + Math.max(1, Math.ceil((timers.now() - start) / CHECK_INTERVAL_MS)) * CHECK_INTERVAL_MS)
  const checkSafely = (): void => {
    try {
      check()
    } catch (error) {
      timers.handleError("scheduler plugin", error, { plugin: "VolumeBinding", pod: task.pod.key })
      onEnd(`binding volumes: ${errorMessage(error)}`)
    }
  }
  const check = (): void => {
    timer = undefined
    const state = getState()
    if (state === "bound") {
      onEnd()
      return
    }
    if (state !== "waiting") {
      onEnd(`binding volumes: ${state.problem}`)
      return
    }
    if (timers.now() >= deadline) {
      onEnd("binding volumes: context deadline exceeded")
      return
    }
    for (const key of watchKeysOf(plan, task)) {
      if (!unwatchByKey.has(key)) unwatchByKey.set(key, cache.watches.add(key, checkAtNextSecond))
    }
    checkAt(deadline)
  }
  checkAt(start + CHECK_INTERVAL_MS)
  return () => {
    if (timer !== undefined) timers.cancel(timer)
    for (const unwatch of unwatchByKey.values()) unwatch()
  }
}
