import { isUnresolvable, type Lacking, lackingOn, reasonsOf } from "../cache/fits.ts"
import { isExtendedResource, type PodDemand } from "../cache/PodDemand.ts"
import type { FilterPlugin, NodeCheck, Rejection } from "../Plugin.ts"

const name = "NodeResourcesFit"

const checkFor = (demand: PodDemand): NodeCheck => {
  const rejections = new Map<Lacking, Rejection>()
  return (node) => {
    const lacking = lackingOn(node, demand)
    if (lacking === 0) return undefined
    const known = rejections.get(lacking)
    if (known !== undefined) return known
    const rejection: Rejection = {
      code: isUnresolvable(lacking) ? "UnschedulableAndUnresolvable" : "Unschedulable",
      plugin: name,
      reasons: reasonsOf(lacking, demand)
    }
    rejections.set(lacking, rejection)
    return rejection
  }
}

/** Extended resources that another component handles: NodeResourcesFitArgs. */
export interface IgnoredResources {
  readonly ignoredResources?: ReadonlyArray<string>
  /** The part of the name before the slash. */
  readonly ignoredResourceGroups?: ReadonlyArray<string>
}

const without = (
  demand: PodDemand,
  { ignoredResourceGroups = [], ignoredResources = [] }: IgnoredResources
): PodDemand => {
  const isIgnored = (resource: string) =>
    isExtendedResource(resource) &&
    (ignoredResources.includes(resource) || ignoredResourceGroups.includes(resource.slice(0, resource.indexOf("/"))))
  return { ...demand, scalars: demand.scalars.filter((scalar) => !isIgnored(scalar.name)) }
}

/**
 * Checks requests against allocatable less the requests of the node's pods; reports all that is lacking.
 * Upstream: pkg/scheduler/framework/plugins/noderesources/fit.go.
 */
export const nodeResourcesFitWith = (ignored: IgnoredResources): FilterPlugin => ({
  name,
  prepare: ({ requests }) => ({ _tag: "Check", check: checkFor(without(requests, ignored)) }),
  hint: ({ requests }, event, cache) => {
    switch (event._tag) {
      case "NodeAdded":
        return cache.couldHold(event.node, requests)
      case "NodeUpdated":
        return (
          event.change.allocatable &&
          cache.couldHold(event.node, requests) &&
          cache.offersMore(event.before, event.node, requests)
        )
      case "AssignedPodDeleted":
        return true
      case "UnscheduledPodUpdated":
        return event.change.scaledDown
      case "AssignedPodUpdated":
        return event.change.scaledDown && cache.requestsLess(event.before, event.pod, requests)
      default:
        return false
    }
  }
})

/** NodeResourcesFit with default arguments: no resource is ignored. */
export const nodeResourcesFit: FilterPlugin = nodeResourcesFitWith({})
