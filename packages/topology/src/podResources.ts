import {
  type Container,
  equalQuantity,
  type FeatureGates,
  isSidecar,
  type Pod,
  qosClassOf,
  signOf
} from "@rollcall/api"

/** The gates that say what the managers make of `spec.resources`. */
export type PodLevelGates = Pick<FeatureGates, "PodLevelResources" | "PodLevelResourceManagers">

/** In the order in which they are asked about: init containers, then the others; ephemeral ones never. */
export const containersOf = (pod: Pod): ReadonlyArray<Container> =>
  pod.spec.initContainers === undefined ? pod.spec.containers : [...pod.spec.initContainers, ...pod.spec.containers]

/** An init container that ends before the next one starts, so that those after it may have what it held. */
export const isOrdinaryInit = (pod: Pod, container: Pick<Container, "name">): boolean => {
  const init = pod.spec.initContainers?.find(({ name }) => name === container.name)
  return init !== undefined && !isSidecar(init)
}

const isPodLevelResource = (name: string): boolean =>
  name === "cpu" || name === "memory" || name.startsWith("hugepages-")

/** Upstream: staging/src/k8s.io/component-helpers/resource/helpers.go IsPodLevelResourcesSet. */
export const hasPodLevelResources = (pod: Pod): boolean => {
  const { limits, requests } = pod.spec.resources ?? {}
  return [...Object.keys(requests ?? {}), ...Object.keys(limits ?? {})].some(isPodLevelResource)
}

/** A pod whose own resources the managers divide among its containers. Gate PodLevelResourceManagers, KEP-5526. */
export const isManagedAsWhole = (pod: Pod, gates: PodLevelGates): boolean =>
  gates.PodLevelResources && gates.PodLevelResourceManagers && hasPodLevelResources(pod)

/** A pod with resources of its own, which managers that know only containers leave alone. */
export const isLeftAlone = (pod: Pod, gates: PodLevelGates): boolean =>
  hasPodLevelResources(pod) && !isManagedAsWhole(pod, gates)

/** Only Guaranteed pods get something for themselves. */
export const isGuaranteed = (pod: Pod, gates: PodLevelGates): boolean =>
  qosClassOf(pod, { podLevelResources: gates.PodLevelResources }) === "Guaranteed"

/**
 * A container of such a pod that is Guaranteed by itself: it asks for cpu and memory, and as much as it is limited to. Upstream:
 * pkg/kubelet/cm/qos/qos.go IsContainerEquivalentQOSGuaranteed.
 */
export const isContainerGuaranteed = ({ resources }: Pick<Container, "resources">): boolean =>
  ["cpu", "memory"].every((name) => {
    const request = resources?.requests?.[name]
    const limit = resources?.limits?.[name]
    return request !== undefined && limit !== undefined && signOf(request) > 0 && equalQuantity(request, limit)
  })
