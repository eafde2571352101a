import type { DeviceClass } from "@rollcall/api"
import { isUnresolvable, reasonsOf, type Shortages, shortagesOn } from "../cache/fits.ts"
import { isExtendedResource, type PodDemand } from "../cache/PodDemand.ts"
import { CLASS_RESOURCE_PREFIX, type PodDevices } from "../cache/PodDevices.ts"
import type { FilterPlugin, NodeCheck, Rejection } from "../Plugin.ts"
import { orTaintChange } from "./orTaintChange.ts"

const name = "NodeResourcesFit"

/** Makes the rejection for each combination of shortages once. */
const checkFor = (demand: PodDemand, devices: PodDevices | undefined): NodeCheck => {
  const rejections = new Map<Shortages, Rejection>()
  return (node) => {
    const shortages = shortagesOn(node, demand, devices)
    if (shortages === 0) return undefined
    const known = rejections.get(shortages)
    if (known !== undefined) return known
    const rejection: Rejection = {
      code: isUnresolvable(shortages) ? "UnschedulableAndUnresolvable" : "Unschedulable",
      plugin: name,
      reasons: reasonsOf(shortages, demand)
    }
    rejections.set(shortages, rejection)
    return rejection
  }
}

/** Extended resources that the filter ignores, since another component handles them: NodeResourcesFitArgs. */
export interface IgnoredResources {
  readonly ignoredResources?: ReadonlyArray<string>
  /** Ignores all resources whose name has one of these before the slash. */
  readonly ignoredResourceGroups?: ReadonlyArray<string>
}

const withoutIgnored = (
  demand: PodDemand,
  { ignoredResourceGroups = [], ignoredResources = [] }: IgnoredResources
): PodDemand => {
  const isIgnored = (resource: string) =>
    isExtendedResource(resource) &&
    (ignoredResources.includes(resource) || ignoredResourceGroups.includes(resource.slice(0, resource.indexOf("/"))))
  return { ...demand, scalars: demand.scalars.filter((scalar) => !isIgnored(scalar.name)) }
}

/** Whether a class that is new, or has a new resource, provides one of the resources. Upstream: isSchedulableAfterDeviceClassEvent. */
const providesMore = (before: DeviceClass | undefined, { metadata, spec }: DeviceClass, demand: PodDemand): boolean => {
  const resource = spec.extendedResourceName
  if (before !== undefined && before.spec.extendedResourceName === resource) return false
  const own = before === undefined ? `${CLASS_RESOURCE_PREFIX}${metadata.name}` : undefined
  return demand.scalars.some(({ name }) => name === resource || name === own)
}

/**
 * Checks requests against allocatable less the requests of the node's pods; reports all shortages.
 * Upstream: pkg/scheduler/framework/plugins/noderesources/fit.go.
 */
export const nodeResourcesFitWith = (ignored: IgnoredResources): FilterPlugin => ({
  name,
  prepare: ({ requests }, { devices }) => ({
    _tag: "Check",
    check: checkFor(withoutIgnored(requests, ignored), devices),
    local: devices === undefined
  }),
  hint: orTaintChange(({ requests }, event, cache) => {
    switch (event._tag) {
      case "NodeAdded":
        return cache.fitsWhenEmpty(event.node, requests)
      case "NodeUpdated":
        return (
          event.change.allocatable &&
          cache.fitsWhenEmpty(event.node, requests) &&
          cache.offersMore(event.before, event.node, requests)
        )
      case "AssignedPodDeleted":
        return true
      case "UnscheduledPodUpdated":
        return event.change.scaledDown
      case "AssignedPodUpdated":
        return event.change.scaledDown && cache.requestsLess(event.before, event.pod, requests)
      case "DeviceClassChanged":
        return cache.devices !== undefined && providesMore(event.before, event.deviceClass, requests)
      default:
        return false
    }
  })
})

/** NodeResourcesFit with default arguments: no resource is ignored. */
export const nodeResourcesFit: FilterPlugin = nodeResourcesFitWith({})
