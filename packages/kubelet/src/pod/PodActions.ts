import type { Pod } from "@rollcall/api"
import type { ContainerLifecycle, PodLifecycle } from "./ContainerLifecycle.ts"
import { containerShouldRestart, isSidecar, restartsWhenStopped } from "./ContainerRestart.ts"

const NONE: ReadonlyArray<ContainerLifecycle> = []

/** Whether a container that has exited is started again: by its exit, or because the kubelet has stopped it. */
const willRestart = ({ spec }: Pod, tracked: ContainerLifecycle): boolean => {
  const { container, exitCode, isReplaced, isStopped } = tracked
  if (isReplaced || (isStopped && restartsWhenStopped(container, spec.restartPolicy))) return true
  return containerShouldRestart(container, spec.restartPolicy, exitCode)
}

/** Whether the sync that has stopped a container starts it again. */
export const startsInSameSync = (pod: Pod, { restartsAll }: PodLifecycle, tracked: ContainerLifecycle): boolean =>
  tracked.isStopped && (restartsAll || willRestart(pod, tracked))

const isDown = ({ stage }: ContainerLifecycle): boolean => stage === "new" || stage === "unpulled"

/** Whether an init container failed and is not restarted, so that the pod has failed. */
const hasFailedForGood = (pod: Pod, container: ContainerLifecycle): boolean =>
  container.isInit && container.stage === "exited" && container.exitCode !== 0 && !willRestart(pod, container)

/** Whether no container of the pod will be started again. Sidecars may still run: they do not keep a pod alive. */
export const isPodOver = (pod: Pod, { containers, restartsAll }: PodLifecycle): boolean =>
  !restartsAll &&
  (containers.some((container) => hasFailedForGood(pod, container)) ||
    containers.every((container) => container.isInit || (container.stage === "exited" && !willRestart(pod, container))))

/**
 * Returns the containers to start now, or as soon as their back-off allows: init containers and sidecars one after
 * another, each once the one before has completed (a sidecar: has started), and then all regular containers. Sidecars
 * are restarted whenever they exit. Upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions,
 * computeInitContainerActions.
 */
export const containersToStart = (pod: Pod, lifecycle: PodLifecycle): ReadonlyArray<ContainerLifecycle> => {
  if (isPodOver(pod, lifecycle)) return NONE
  const { containers } = lifecycle
  const ready: Array<ContainerLifecycle> = []
  const initialized = containers.some(({ isInit, stage }) => !isInit && stage !== "new")
  for (const tracked of containers) {
    if (!tracked.isInit) {
      if (isDown(tracked) || (tracked.stage === "exited" && willRestart(pod, tracked))) ready.push(tracked)
      continue
    }
    if (isSidecar(tracked.container)) {
      if (isDown(tracked) || tracked.stage === "exited") ready.push(tracked)
      if (!initialized && !tracked.hasStarted) return ready
      continue
    }
    if (initialized || (tracked.stage === "exited" && tracked.exitCode === 0)) continue
    if (isDown(tracked) || tracked.stage === "exited") ready.push(tracked)
    return ready
  }
  return ready
}

/** Takes over the images of a changed spec. Returns the containers that have another one. */
export const takeImages = (pod: Pod, before: Pod, lifecycle: PodLifecycle): ReadonlyArray<ContainerLifecycle> =>
  pod.spec.containers.flatMap((container) => {
    const old = before.spec.containers.find(({ name }) => name === container.name)
    const tracked = old === undefined || old.image === container.image ? undefined : lifecycle.of(container.name)
    if (tracked === undefined) return []
    tracked.container = container
    tracked.crashes = undefined
    tracked.retryAtMs = 0
    return [tracked]
  })
