import type { Pod } from "@rollcall/api"
import { behaviourText } from "./PodBehaviour.ts"

/** Does the pod just start and run? Then it is brought up as a whole, and nothing is kept or planned while it runs. */
export const isPlainPod = (pod: Pod): boolean =>
  pod.spec.initContainers === undefined &&
  pod.spec.activeDeadlineSeconds === undefined &&
  behaviourText(pod) === undefined &&
  pod.spec.containers.every(
    ({ livenessProbe, readinessProbe, startupProbe }) =>
      livenessProbe === undefined && readinessProbe === undefined && startupProbe === undefined
  )
