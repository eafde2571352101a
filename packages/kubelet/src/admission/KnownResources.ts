import type { Container, FeatureGates, Pod, PodStatus, ResourceList } from "@rollcall/api"
import { isExtendedResource } from "../node/ResourceNames.ts"
import { type FitRules, type PodNeeds, podNeeds } from "./PodNeeds.ts"

type Gates = FitRules & Pick<FeatureGates, "DRAExtendedResource">

interface RequestMapping {
  readonly containerName?: unknown
  readonly resourceName?: unknown
}

/** Returns the requests that resource claims cover, as texts of container and resource with a newline between them. */
const claimedRequests = (status: PodStatus | undefined, gates: Gates): ReadonlySet<string> => {
  const claims: { readonly requestMappings?: ReadonlyArray<RequestMapping> } | undefined = gates.DRAExtendedResource
    ? (status?.extendedResourceClaimStatus ?? undefined)
    : undefined
  return new Set(
    claims?.requestMappings?.map(({ containerName, resourceName }) => `${containerName}\n${resourceName}`) ?? []
  )
}

const withoutUnknown = (
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
 * Returns the pod's requests on this node, without extended resources that the node does not know, which are handled
 * cluster-wide, and without those that a resource claim covers. Huge pages are not extended resources: sizes that the
 * node does not have are refused. Upstream: pkg/kubelet/lifecycle/predicate.go removeMissingExtendedResources.
 */
export const needsOnNode = (pod: Pod, allocatable: ResourceList | undefined, gates: Gates): PodNeeds => {
  const needs = podNeeds(pod, gates)
  if (needs.scalars === undefined) return needs
  const claimed = claimedRequests(pod.status, gates)
  const isUnknown = (container: string, resource: string): boolean =>
    claimed.has(`${container}\n${resource}`) || (isExtendedResource(resource) && allocatable?.[resource] === undefined)
  const { containers, initContainers } = pod.spec
  const spec = {
    ...pod.spec,
    containers: withoutUnknown(containers, isUnknown),
    ...(initContainers === undefined ? {} : { initContainers: withoutUnknown(initContainers, isUnknown) })
  }
  return podNeeds({ ...pod, spec }, gates)
}
