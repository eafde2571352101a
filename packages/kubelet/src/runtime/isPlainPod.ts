import type { Pod } from "@rollcall/api"
import { isImageName } from "../images/imageName.ts"
import { nonRootProblemOf } from "../pod/nonRootProblem.ts"
import { behaviourText } from "./PodBehaviour.ts"

/** Whether the pod only starts and runs, so that it is started as a whole and needs no state or timer while it runs. */
export const isPlainPod = (pod: Pod): boolean =>
  pod.spec.initContainers === undefined &&
  pod.spec.activeDeadlineSeconds === undefined &&
  behaviourText(pod) === undefined &&
  pod.spec.volumes?.some(({ image }) => image !== undefined) !== true &&
  pod.spec.containers.every((container) => {
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
  })
