import {
  type Container,
  equalQuantity,
  type FeatureGates,
  isSidecar,
  type Pod,
  qosClassOf,
  signOf
} from "@rollcall/api"

/** The gates that control how the managers treat `spec.resources`. */
export type PodLevelGates = Pick<FeatureGates, "PodLevelResources" | "PodLevelResourceManagers">

/** Returns the containers in the order of their admission: init containers, then the others; without ephemeral ones. */
export const containersOf = (pod: Pod): ReadonlyArray<Container> =>
  pod.spec.initContainers === undefined ? pod.spec.containers : [...pod.spec.initContainers, ...pod.spec.containers]

/**
 * Whether a container is a regular init container, which ends before later ones start, so that these may reuse its
 * resources.
 */
export const isRegularInitContainer = (pod: Pod, container: Pick<Container, "name">): boolean => {
  const init = pod.spec.initContainers?.find(({ name }) => name === container.name)
  return init !== undefined && !isSidecar(init)
}

const isPodLevelResource = (name: string): boolean =>
  name === "cpu" || name === "memory" || name.startsWith("hugepages-")

/**
 * Whether the pod has pod-level resources that a kubelet supports. Upstream:
 * staging/src/k8s.io/component-helpers/resource/helpers.go IsPodLevelResourcesSet.
 */
export const hasPodLevelResources = (pod: Pod): boolean => {
  const { limits, requests } = pod.spec.resources ?? {}
  return [...Object.keys(requests ?? {}), ...Object.keys(limits ?? {})].some(isPodLevelResource)
}

/**
 * Whether the managers divide the pod-level resources of a pod among its containers. Gate PodLevelResourceManagers,
 * KEP-5526.
 */
export const isManagedAtPodLevel = (pod: Pod, gates: PodLevelGates): boolean =>
  gates.PodLevelResources && gates.PodLevelResourceManagers && hasPodLevelResources(pod)

/** Whether a pod has pod-level resources that the managers ignore, because the gate is off. */
export const isPodLevelUnmanaged = (pod: Pod, gates: PodLevelGates): boolean =>
  hasPodLevelResources(pod) && !isManagedAtPodLevel(pod, gates)

/** Whether a pod is Guaranteed. Only such pods get exclusive resources. */
export const isGuaranteed = (pod: Pod, gates: PodLevelGates): boolean =>
  qosClassOf(pod, { podLevelResources: gates.PodLevelResources }) === "Guaranteed"

/**
 * Whether a container is Guaranteed by itself: it requests cpu and memory, and its limits equal its requests. Upstream:
 * pkg/kubelet/cm/qos/qos.go IsContainerEquivalentQOSGuaranteed.
 */
export const isContainerGuaranteed = ({ resources }: Pick<Container, "resources">): boolean =>
  ["cpu", "memory"].every((name) => {
    const request = resources?.requests?.[name]
    const limit = resources?.limits?.[name]
    return request !== undefined && limit !== undefined && signOf(request) > 0 && equalQuantity(request, limit)
  })
