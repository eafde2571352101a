import type { FeatureGates } from "@rollcall/api"
import type { ContainerLifecycle, PodLifecycle } from "./ContainerLifecycle.ts"
import { restartsAllContainers } from "./ContainerRestart.ts"

/** The grace period of containers that are stopped because all are restarted: their hooks do not run. */
export const NO_GRACE = 0

/** Whether the exit of a container restarts all containers of its pod in place (KEP-5532). */
export const startsRestartOfAll = (
  { RestartAllContainersOnContainerExits }: Pick<FeatureGates, "RestartAllContainersOnContainerExits">,
  { container, exitCode }: ContainerLifecycle
): boolean => RestartAllContainersOnContainerExits && restartsAllContainers(container, exitCode)

/**
 * Returns the container to stop next before all are started again: the regular ones first. Returns undefined when none
 * runs. Upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions, getContainersToReset.
 */
export const nextToStop = ({ containers }: PodLifecycle): ContainerLifecycle | undefined => {
  const running = containers.filter(({ stage }) => stage === "running" || stage === "ending")
  return running.find(({ isInit }) => !isInit) ?? running[0]
}

/** Forgets the runs of all containers: the pod starts with its first init container again, without a back-off. */
export const resetContainers = (lifecycle: PodLifecycle): void => {
  lifecycle.restartsAll = false
  for (const tracked of lifecycle.containers) {
    tracked.stage = "new"
    tracked.hasStarted = false
    tracked.isReplaced = false
    tracked.probes = []
  }
}
