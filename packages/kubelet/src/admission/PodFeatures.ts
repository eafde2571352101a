import type { FeatureGates, Pod } from "@rollcall/api"
import { isHugePages } from "../node/ResourceNames.ts"
import type { PodRefusal } from "./PodAdmitHandler.ts"

const isPodLevel = (resource: string): boolean => resource === "cpu" || resource === "memory" || isHugePages(resource)

/**
 * Whether the pod has pod-level resources that a kubelet supports. Upstream:
 * staging/src/k8s.io/component-helpers/resource/helpers.go IsPodLevelResourcesSet.
 */
export const hasPodLevelResources = ({ spec }: Pod): boolean => {
  if (spec.resources === undefined) return false
  const { limits, requests } = spec.resources
  return Object.keys(requests ?? {}).some(isPodLevel) || Object.keys(limits ?? {}).some(isPodLevel)
}

const noPodLevelResources: PodRefusal = {
  reason: "PodLevelResourcesNotSupported",
  message: "PodLevelResources feature gate is disabled"
}

/**
 * Returns the refusal of a pod with features that are switched off, or undefined. Upstream:
 * pkg/kubelet/lifecycle/features_linux.go.
 */
export const featureRefusal = (pod: Pod, gates: Pick<FeatureGates, "PodLevelResources">): PodRefusal | undefined =>
  !gates.PodLevelResources && hasPodLevelResources(pod) ? noPodLevelResources : undefined
