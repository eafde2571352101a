import type { Container, FeatureGates, Pod, PodStatus, ResourceList } from "@rollcall/api"
import { isExtendedResource } from "../node/ResourceNames.ts"
import { type FitRules, type PodNeeds, podNeeds } from "./PodNeeds.ts"

type Gates = FitRules & Pick<FeatureGates, "DRAExtendedResource">

interface Mapping {
  readonly containerName?: unknown
  readonly resourceName?: unknown
}

/** The requests that resource claims cover: `container/resource`. */
const claimedBy = (status: PodStatus | undefined, gates: Gates): ReadonlySet<string> => {
  const claims: { readonly requestMappings?: ReadonlyArray<Mapping> } | undefined = gates.DRAExtendedResource
    ? (status?.extendedResourceClaimStatus ?? undefined)
    : undefined
  return new Set(
    claims?.requestMappings?.map(({ containerName, resourceName }) => `${containerName}\n${resourceName}`) ?? []
  )
}

const without = (
  containers: ReadonlyArray<Container>,
  isUnknown: (container: string, resource: string) => boolean
): ReadonlyArray<Container> =>
  containers.map((container) => {
    const { requests } = container.resources ?? {}
    if (requests === undefined) return container
    const known = Object.entries(requests).filter(([name]) => !isUnknown(container.name, name))
    return { ...container, resources: { ...container.resources, requests: Object.fromEntries(known) } }
  })

/**
 * The pod's requests on this node: without extended resources that the node does not know, which are handled
 * cluster-wide, and without those that a resource claim covers. Huge pages are not extended resources: unknown sizes
 * are refused. Upstream: pkg/kubelet/lifecycle/predicate.go removeMissingExtendedResources.
 */
export const needsOnNode = (pod: Pod, allocatable: ResourceList | undefined, gates: Gates): PodNeeds => {
  const needs = podNeeds(pod, gates)
  if (needs.scalars === undefined) return needs
  const claimed = claimedBy(pod.status, gates)
  const isUnknown = (container: string, resource: string): boolean =>
    isExtendedResource(resource) && (allocatable?.[resource] === undefined || claimed.has(`${container}\n${resource}`))
  const { containers, initContainers } = pod.spec
  const spec = {
    ...pod.spec,
    containers: without(containers, isUnknown),
    ...(initContainers === undefined ? {} : { initContainers: without(initContainers, isUnknown) })
  }
  return podNeeds({ ...pod, spec }, gates)
}
