import type { Pod } from "@rollcall/api"
import type { ContainerLife, PodLife } from "./ContainerLife.ts"
import { containerShouldRestart, isSidecar } from "./ContainerRestart.ts"

const NONE: ReadonlyArray<ContainerLife> = []

const comesBack = ({ spec }: Pod, { container, exitCode, isReplaced }: ContainerLife): boolean =>
  isReplaced || containerShouldRestart(container, spec.restartPolicy, exitCode)

const isDown = ({ stage }: ContainerLife): boolean => stage === "new" || stage === "unpulled"

/** An init container failed and is not restarted: the pod has failed. */
const hasFailedForGood = (pod: Pod, life: ContainerLife): boolean =>
  life.isInit && life.stage === "exited" && life.exitCode !== 0 && !comesBack(pod, life)

/** Whether no container of the pod will run any more. Sidecars may still run: they do not keep a pod alive. */
export const isPodOver = (pod: Pod, { containers }: PodLife): boolean =>
  containers.some((life) => hasFailedForGood(pod, life)) ||
  containers.every((life) => life.isInit || (life.stage === "exited" && !comesBack(pod, life)))

/**
 * The containers to start now, or as soon as their back-off allows: init containers one after another, sidecars in
 * between once the one before has completed or started, and then all regular containers. Sidecars are restarted
 * whenever they exit. Upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions,
 * computeInitContainerActions.
 */
export const containersToStart = (pod: Pod, life: PodLife): ReadonlyArray<ContainerLife> => {
  if (isPodOver(pod, life)) return NONE
  const { containers } = life
  const out: Array<ContainerLife> = []
  const initialized = containers.some(({ isInit, stage }) => !isInit && stage !== "new")
  for (const own of containers) {
    if (!own.isInit) {
      if (isDown(own) || (own.stage === "exited" && comesBack(pod, own))) out.push(own)
      continue
    }
    if (isSidecar(own.container)) {
      if (isDown(own) || own.stage === "exited") out.push(own)
      if (!initialized && !own.hasStarted) return out
      continue
    }
    if (initialized || (own.stage === "exited" && own.exitCode === 0)) continue
    if (isDown(own) || own.stage === "exited") out.push(own)
    return out
  }
  return out
}
