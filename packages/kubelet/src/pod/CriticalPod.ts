import { annotationConfigMirror, type Pod, systemCriticalPriority } from "@rollcall/api"
import { isStaticPod } from "./PodPhase.ts"

/** Whether the pod is a mirror pod: the copy of a static pod in the API. */
export const isMirrorPod = ({ metadata }: Pod): boolean => metadata.annotations?.[annotationConfigMirror] !== undefined

/**
 * Whether the pod is one that its node never evicts, or preempts for a pod of lower priority. Upstream:
 * pkg/kubelet/types/pod_update.go IsCriticalPod.
 */
export const isCriticalPod = (pod: Pod): boolean =>
  isStaticPod(pod) || isMirrorPod(pod) || (pod.spec.priority ?? 0) >= systemCriticalPriority
