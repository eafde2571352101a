import { annotationConfigMirror, type Pod, systemCriticalPriority } from "@rollcall/api"
import { isStaticPod } from "./PodPhase.ts"

/** What the API shows of a static pod. */
export const isMirrorPod = ({ metadata }: Pod): boolean => metadata.annotations?.[annotationConfigMirror] !== undefined

/** A pod that its node never gives up of its own accord. Upstream: pkg/kubelet/types/pod_update.go IsCriticalPod. */
export const isCriticalPod = (pod: Pod): boolean =>
  isStaticPod(pod) || isMirrorPod(pod) || (pod.spec.priority ?? 0) >= systemCriticalPriority
