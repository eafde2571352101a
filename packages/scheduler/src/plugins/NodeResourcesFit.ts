import { isHopeless, type Lacking, lackingOn, reasonsOf } from "../cache/fits.ts"
import type { PodDemand } from "../cache/PodDemand.ts"
import type { FilterPlugin, NodeCheck, Rejection, ScorePlugin } from "../Plugin.ts"

const name = "NodeResourcesFit"

const checkFor = (demand: PodDemand): NodeCheck => {
  const rejections = new Map<Lacking, Rejection>()
  return (node) => {
    const lacking = lackingOn(node, demand)
    if (lacking === 0) return undefined
    const known = rejections.get(lacking)
    if (known !== undefined) return known
    const rejection: Rejection = {
      code: isHopeless(lacking) ? "UnschedulableAndUnresolvable" : "Unschedulable",
      plugin: name,
      reasons: reasonsOf(lacking, demand)
    }
    rejections.set(lacking, rejection)
    return rejection
  }
}

/**
 * Requests against allocatable less what the node's pods request; all that is lacking is reported.
 * Upstream: pkg/scheduler/framework/plugins/noderesources/fit.go.
 */
export const nodeResourcesFit: FilterPlugin = {
  name,
  prepare: ({ requests }) => ({ _tag: "Check", check: checkFor(requests) }),
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
      case "PodGone":
        return true
      case "PendingUpdated":
        return event.change.scaledDown
      case "PodUpdated":
        return event.change.scaledDown && cache.asksLess(event.before, event.pod, requests)
      default:
        return false
    }
  }
}

const share = (used: number, allocatable: number): number =>
  used > allocatable ? 0 : Math.floor(((allocatable - used) * 100) / allocatable)

/** The more cpu and memory is left, the better; half each. Upstream: noderesources/least_allocated.go. */
export const leastAllocated: ScorePlugin = {
  name,
  weight: 1,
  score: ({ requests }, nodes, _, scores) => {
    for (let index = 0; index < nodes.length; index++) {
      const node = nodes[index]
      if (node === undefined) continue
      let sum = 0
      let resources = 0
      if (node.allocatableCpu > 0) {
        sum += share(node.nonZeroCpu + requests.nonZeroCpu, node.allocatableCpu)
        resources++
      }
      if (node.allocatableMemory > 0) {
        sum += share(node.nonZeroMemory + requests.nonZeroMemory, node.allocatableMemory)
        resources++
      }
      scores[index] = resources === 0 ? 0 : Math.floor(sum / resources)
    }
    return true
  }
}
