const HUGE_PAGES = "hugepages-"

export const isHugePages = (resource: string): boolean => resource.startsWith(HUGE_PAGES)

const qualifiedPrefix = /^(?=.{1,253}\/)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\//

/**
 * Whether a resource is defined outside of Kubernetes, such as `example.com/gpu`. Upstream:
 * pkg/apis/core/v1/helper/helpers.go IsExtendedResourceName.
 */
export const isExtendedResource = (resource: string): boolean =>
  qualifiedPrefix.test(resource) && !resource.includes("kubernetes.io/") && !resource.startsWith("requests.")

/**
 * Whether a resource is none of cpu, memory, storage and pods: huge pages, extended resources, attachable volumes.
 * Upstream: pkg/apis/core/v1/helper/helpers.go, pkg/scheduler/util IsScalarResourceName.
 */
export const isScalarResource = (resource: string): boolean =>
  isHugePages(resource) ||
  resource.includes("kubernetes.io/") ||
  resource.startsWith("attachable-volumes-") ||
  isExtendedResource(resource)
