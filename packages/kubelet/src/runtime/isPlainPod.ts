import type { Container, Pod } from "@rollcall/api"
import { isImageName } from "../images/imageName.ts"
import { nonRootProblemOf } from "../pod/nonRootProblem.ts"
import { commandOf } from "./command/environment.ts"
import { behaviourText } from "./PodBehaviour.ts"

const isPlainContainer = (pod: Pod, container: Container): boolean => {
  const { env, image = "", lifecycle, livenessProbe, readinessProbe, startupProbe, volumeMounts } = container
  return (
    livenessProbe === undefined &&
    readinessProbe === undefined &&
    startupProbe === undefined &&
    lifecycle?.postStart === undefined &&
    env?.some(({ valueFrom }) => valueFrom?.fileKeyRef !== undefined) !== true &&
    volumeMounts?.some(({ subPathExpr }) => subPathExpr !== undefined) !== true &&
    (image === "" || isImageName(image)) &&
    nonRootProblemOf(pod, container) === undefined
  )
}

/** Whether the pod only starts and runs, so that it is started as a whole and needs no state or timer while it runs. */
export const isPlainPod = (pod: Pod): boolean => {
  const { activeDeadlineSeconds, containers, initContainers, volumes } = pod.spec
  if (initContainers !== undefined || activeDeadlineSeconds !== undefined || behaviourText(pod) !== undefined)
    return false
  if (volumes?.some(({ image }) => image !== undefined) === true) return false
  for (const container of containers) if (!isPlainContainer(pod, container)) return false
  return true
}

const hasNoCommand = (container: Container): boolean => commandOf(container).length === 0

/** Whether no container's run can end or act by itself, as nothing says what it does. */
export const hasNoCommands = ({ spec }: Pod): boolean =>
  spec.ephemeralContainers === undefined && spec.containers.every(hasNoCommand)
